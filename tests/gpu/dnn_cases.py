# SPDX-License-Identifier: Apache-2.0
"""The cases of dnn.c, and what torch computes for each. A case: what its line says, the arrays that it reads, a function of torch tensors to
the arrays that it has to write. Numbers of enums are those of cuDNN's headers, which no release changed."""
import itertools

import torch
import torch.nn.functional as F

RELU, TANH, LSTM, GRU = range(4)
RNN_NAMES = ['relu', 'tanh', 'lstm', 'gru']
NO_BIAS, INPUT_BIAS, DOUBLE_BIAS, RECURRENT_BIAS = range(4)


class Case:
    def __init__(self, name, kind, arguments, inputs, reference, ints=None):
        self.name, self.kind, self.arguments, self.inputs = name, kind, arguments, inputs
        self.reference, self.ints = reference, ints or {}
        self.limit = 1e-5
        self.repeatable = True  # the same bits at each run
        self.refused = None     # what the program has to say instead of ok

    def line(self):
        return ' '.join([self.name, self.kind, *(f'{key}={value}' for key, value in self.arguments.items())])


def random(*shape, scale=1.0):
    return (torch.rand(*shape) * 2 - 1) * scale


def gradients(output, dy, inputs):
    return torch.autograd.grad(output, inputs, dy)


def convolutions():
    for n, c, h, w, k, size, pad, stride, dilation, groups in (
            (2, 16, 14, 15, 24, 3, 1, 1, 1, 1), (1, 8, 20, 20, 16, 5, 2, 2, 1, 1), (3, 32, 9, 9, 64, 1, 0, 1, 1, 1),
            (2, 16, 12, 13, 32, 3, 2, 1, 2, 1), (2, 16, 10, 11, 32, 3, 1, 1, 1, 4), (2, 12, 10, 10, 12, 3, 1, 1, 1, 12)):
        arguments = dict(n=n, c=c, h=h, w=w, k=k, size=size, pad=pad, stride=stride, dilation=dilation, groups=groups)
        x, weights = random(n, c, h, w), random(k, c // groups, size, size)
        how = dict(stride=stride, padding=pad, dilation=dilation, groups=groups)
        y = F.conv2d(x, weights, **how)

        def both(t, how=how):
            x, weights = t['x'].requires_grad_(), t['weights'].requires_grad_()
            y = F.conv2d(x, weights, **how)
            dx, dw = gradients(y, t['dy'], (x, weights))
            return dict(y=y, dx=dx, dweights=dw)

        def fused(t, how=how, relu=True):
            y = F.conv2d(t['x'], t['weights'], t['bias'], **how) + 0.5 * t['z']
            return dict(y=F.relu(y) if relu else y)
        name = '-'.join(str(value) for value in arguments.values())
        yield Case(f'convolution-{name}', 'convolution', arguments, dict(x=x, weights=weights, dy=random(*y.shape)), both)
        for activation, relu in ((1, True), (5, False)):
            yield Case(f'bias-{"relu" if relu else "identity"}-{name}', 'bias_activation', dict(arguments, activation=activation),
                       dict(x=x, weights=weights, z=random(*y.shape), bias=random(k)), lambda t, f=fused, r=relu: f(t, relu=r))


def normalizations():
    n, c, h, w = 6, 10, 7, 5
    for mode, ex in ((0, 0), (1, 0), (2, 0), (1, 1), (2, 1)):
        shape = (1, c, h, w) if mode == 0 else (1, c, 1, 1)
        over = (0,) if mode == 0 else (0, 2, 3)

        def reference(t, shape=shape, over=over):
            x, scale, shift = (t[what].requires_grad_() for what in ('x', 'scale', 'shift'))
            mean, variance = x.mean(over, keepdim=True), x.var(over, unbiased=False, keepdim=True)
            y = (x - mean) / torch.sqrt(variance + 1e-5) * scale + shift
            dx, ds, db = gradients(y, t['dy'], (x, scale, shift))
            more = x.numel() // mean.numel()
            return dict(y=y, dx=dx, dscale=ds, dshift=db, running_mean=0.75 * t['mean'] + 0.25 * mean,
                        running_variance=0.75 * t['variance'] + 0.25 * variance * more / (more - 1),
                        y_inference=(x - t['mean']) / torch.sqrt(t['variance'] + 1e-5) * scale + shift)
        yield Case(f'normalization-{["per-activation", "spatial", "persistent"][mode]}{"-ex" if ex else ""}', 'normalization',
                   dict(n=n, c=c, h=h, w=w, mode=mode, ex=ex),
                   dict(x=random(n, c, h, w), dy=random(n, c, h, w), scale=random(*shape), shift=random(*shape), mean=random(*shape),
                        variance=random(*shape).abs() + 0.5), reference)


def poolings():
    n, c, h, w = 3, 5, 12, 11
    for mode, (window, pad, stride) in itertools.product(range(4), ((2, 0, 2), (3, 1, 2), (3, 1, 1))):
        def pool(x, mode=mode, window=window, pad=pad, stride=stride):
            if mode in (0, 3):
                return F.max_pool2d(x, window, stride, pad)
            return F.avg_pool2d(x, window, stride, pad, count_include_pad=mode == 1)

        def reference(t, pool=pool):
            x = t['x'].requires_grad_()
            y = pool(x)
            return dict(y=y, dx=gradients(y, t['dy'], x)[0])
        x = random(n, c, h, w)
        case = Case(f'pooling-{["max", "average-padded", "average", "max-deterministic"][mode]}-{window}-{pad}-{stride}', 'pooling',
                    dict(n=n, c=c, h=h, w=w, mode=mode, window=window, pad=pad, stride=stride),
                    dict(x=x, dy=random(*pool(x).shape)), reference)
        case.repeatable = mode != 0     # whose other name is not deterministic
        yield case


def pointwise():
    n, c, h, w = 4, 9, 5, 6
    for algo, mode in itertools.product(range(3), range(2)):
        def softmax(t, algo=algo, mode=mode):
            x = t['x'].requires_grad_()
            flat = x if mode else x.reshape(n, -1)
            y = (F.log_softmax if algo == 2 else F.softmax)(flat, 1)
            return dict(y=y, dx=gradients(y, t['dy'].reshape(y.shape), x)[0])
        yield Case(f'softmax-{["fast", "accurate", "log"][algo]}-{["instance", "channel"][mode]}', 'softmax',
                   dict(n=n, c=c, h=h, w=w, algo=algo, mode=mode), dict(x=random(n, c, h, w, scale=4), dy=random(n, c, h, w)), softmax)
    for mode, what in enumerate((torch.sigmoid, torch.relu, torch.tanh, lambda x: x.clamp(0, 1), F.elu)):
        def activation(t, what=what):
            x = t['x'].requires_grad_()
            y = what(x)
            return dict(y=y, dx=gradients(y, t['dy'], x)[0])
        yield Case(f'activation-{["sigmoid", "relu", "tanh", "clipped-relu", "elu"][mode]}', 'activation',
                   dict(n=n, c=c, h=h, w=w, mode=mode), dict(x=random(n, c, h, w, scale=2), dy=random(n, c, h, w)), activation)
    for percent in (20, 50):
        def dropout(t, percent=percent):
            mask = t['written']['y'].reshape(t['x'].shape) != 0
            kept = mask.float().mean().item()
            if abs(1 - kept - percent / 100) > 0.02:
                raise ValueError(f'dropped {1 - kept:.3f} of all')
            return dict(y=t['x'] * mask / (1 - percent / 100), dx=t['dy'] * mask / (1 - percent / 100))
        yield Case(f'dropout-{percent}', 'dropout', dict(n=8, c=16, h=32, w=32, percent=percent),
                   dict(x=random(8, 16, 32, 32), dy=random(8, 16, 32, 32)), dropout)


def reductions():
    n, c, h, w = 4, 6, 5, 7
    whats = [('add', lambda x, d: x.sum(d, keepdim=True)), None, ('min', lambda x, d: x.amin(d, keepdim=True)),
             ('max', lambda x, d: x.amax(d, keepdim=True)), ('amax', lambda x, d: x.abs().amax(d, keepdim=True)),
             ('avg', lambda x, d: x.mean(d, keepdim=True)), ('norm1', lambda x, d: x.abs().sum(d, keepdim=True)),
             ('norm2', lambda x, d: x.square().sum(d, keepdim=True).sqrt())]
    for (op, what), over in itertools.product(enumerate(whats), (1, 2, 12, 13, 15)):
        if what:
            dims = [i for i in range(4) if over >> i & 1]
            yield Case(f'reduction-{what[0]}-{over}', 'reduction', dict(n=n, c=c, h=h, w=w, op=op, over=over), dict(x=random(n, c, h, w)),
                       lambda t, f=what[1], d=dims: dict(y=f(t['x'], d)))


def ctc():
    for steps, batch, letters, lengths in ((20, 4, 8, (5, 3, 7, 1)), (30, 6, 28, (10, 12, 8, 14, 1, 5))):
        labels = [int(label) for length in lengths for label in torch.randint(1, letters, (length,))]
        inputs = [steps] * batch

        def reference(t, labels=labels, lengths=lengths, inputs=inputs):
            x = t['x'].requires_grad_()
            losses = F.ctc_loss(F.log_softmax(x, 2), torch.tensor(labels).to(x.device), torch.tensor(inputs), torch.tensor(lengths),
                                reduction='none')
            return dict(losses=losses, dx=gradients(losses.sum(), None, x)[0])
        yield Case(f'ctc-{steps}-{batch}-{letters}', 'ctc', dict(steps=steps, batch=batch, letters=letters),
                   dict(x=random(steps, batch, letters, scale=2)), reference,
                   ints=dict(labels=labels, label_lengths=list(lengths), input_lengths=inputs))


def attentions():
    for heads, width, each, batch, steps, causal in ((1, 16, 16, 2, 8, 0), (4, 32, 8, 3, 12, 0), (4, 32, 8, 3, 12, 1)):
        def reference(t, causal=causal, steps=steps):
            names = ('q', 'k', 'v', 'q_weights', 'k_weights', 'v_weights', 'o_weights')
            q, k, v, qw, kw, vw, ow = (t[name].requires_grad_() for name in names)
            project = 'bti,hji->bhtj'
            scores = 0.5 * torch.einsum('bhtj,bhsj->bhts', torch.einsum(project, q, qw), torch.einsum(project, k, kw))
            if causal:
                scores = scores.masked_fill(~torch.ones(steps, steps, dtype=torch.bool, device=q.device).tril(), float('-inf'))
            mixed = torch.einsum('bhts,bhsj->bhtj', scores.softmax(-1), torch.einsum(project, v, vw))
            y = torch.einsum('bhtj,hoj->bto', mixed, ow)
            return dict(y=y, **dict(zip(('dq', 'dk', 'dv', 'dq_weights', 'dk_weights', 'dv_weights', 'do_weights'),
                                        gradients(y, t['dy'], (q, k, v, qw, kw, vw, ow)))))
        yield Case(f'attention-{heads}-{width}-{each}-{batch}-{steps}{"-causal" if causal else ""}', 'attention',
                   dict(heads=heads, width=width, each=each, batch=batch, steps=steps, causal=causal),
                   dict(**{name: random(batch, steps, width) for name in ('q', 'k', 'v', 'dy')},
                        **{name: random(heads, each, width, scale=0.4) for name in ('q_weights', 'k_weights', 'v_weights')},
                        o_weights=random(heads, width, each, scale=0.4)), reference)


# Recurrent networks

def rows(x, lengths, form):
    """The rows of x (steps, batch, width) as the form lays them out in memory."""
    if form in (0, 2):
        return torch.cat([x[t, :sum(length > t for length in lengths)] for t in range(x.shape[0])])
    return x.transpose(0, 1) if form == 3 else x


def torch_network(kind, sizes, weights, biases, device):
    gates = {LSTM: 4, GRU: 3}.get(kind, 1)
    make = torch.nn.LSTM if kind == LSTM else torch.nn.GRU if kind == GRU else torch.nn.RNN
    more = dict(proj_size=sizes['projection']) if sizes['projection'] else {}
    if kind in (RELU, TANH):
        more['nonlinearity'] = RNN_NAMES[kind]
    network = make(sizes['input'], sizes['hidden'], sizes['layers'], bidirectional=sizes['directions'] == 2, **more).to(device)
    network = network.to(next(iter(weights.values())).dtype)
    pieces = {}
    for layer in range(sizes['layers']):
        for direction in range(sizes['directions']):
            pseudo, end = layer * sizes['directions'] + direction, f'l{layer}{"_reverse" if direction else ""}'
            for half, name in enumerate(('ih', 'hh')):
                for gate in range(gates):
                    pieces[f'w.{pseudo}.{half * gates + gate}'] = (f'weight_{name}_{end}', gate)
                    pieces[f'b.{pseudo}.{half * gates + gate}'] = (f'bias_{name}_{end}', gate)
            if sizes['projection']:
                pieces[f'w.{pseudo}.{2 * gates}'] = (f'weight_hr_{end}', None)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        for name, (parameter, gate) in pieces.items():
            given = weights.get(name, biases.get(name))
            if given is not None:
                whole = getattr(network, parameter)
                (whole if gate is None else whole[gate * sizes['hidden']:(gate + 1) * sizes['hidden']]).copy_(given)
    return network, pieces


def recurrent_reference(t, kind, sizes, lengths, form, dtype=None):
    names = [name for name in t if name[:2] in ('w.', 'b.')]
    network, pieces = torch_network(kind, sizes, {n: t[n] for n in names if n[0] == 'w'}, {n: t[n] for n in names if n[0] == 'b'},
                                    t['x'].device)
    network.flatten_parameters()
    network.train()
    x, hx = t['x'].requires_grad_(), t['hx'].requires_grad_()
    start = (hx, t['cx'].requires_grad_()) if kind == LSTM else hx
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False)
    y, end = network(packed, start)
    y, _ = torch.nn.utils.rnn.pad_packed_sequence(y, total_length=x.shape[0])
    hy, cy = end if kind == LSTM else (end, None)
    total = (y * t['dy']).sum() + (hy * t['dhy']).sum() + ((cy * t['dcy']).sum() if kind == LSTM else 0)
    total.backward()
    out = dict(y=rows(y, lengths, form), hy=hy, y_inference=rows(y, lengths, form), hy_inference=hy, dx=rows(x.grad, lengths, form),
               dhx=hx.grad)
    if kind == LSTM:
        out.update(cy=cy, cy_inference=cy, dcx=start[1].grad)
    for name in names:
        parameter, gate = pieces[name]
        gradient = getattr(network, parameter).grad
        out['d' + name] = gradient if gate is None else gradient[gate * sizes['hidden']:(gate + 1) * sizes['hidden']]
    return out


def recurrent(kind, layers, directions, form, projection=0, bias=DOUBLE_BIAS, algo=0, even=False):
    steps, batch, width, hidden = 9, 5, 12, 16
    lengths = [steps] * batch if even else [9, 8, 8, 4, 1] if form in (0, 2) else [4, 9, 1, 8, 8]
    output, gates = projection or hidden, {LSTM: 4, GRU: 3}.get(kind, 1)
    sizes = dict(input=width, hidden=hidden, layers=layers, directions=directions, projection=projection)
    inputs = dict(x=random(steps, batch, width), hx=random(layers * directions, batch, output), dy=random(steps, batch, output * directions),
                  dhy=random(layers * directions, batch, output))
    if kind == LSTM:
        inputs.update(cx=random(layers * directions, batch, hidden), dcy=random(layers * directions, batch, hidden))
    for what in ('x', 'dy'):    # nothing is in the padding
        for i, length in enumerate(lengths):
            inputs[what][length:, i] = 0
    for pseudo in range(layers * directions):
        below = width if pseudo < directions else output * directions
        for gate in range(gates):
            inputs[f'w.{pseudo}.{gate}'] = random(hidden, below, scale=0.3)
            inputs[f'w.{pseudo}.{gates + gate}'] = random(hidden, output, scale=0.3)
            if bias in (INPUT_BIAS, DOUBLE_BIAS):
                inputs[f'b.{pseudo}.{gate}'] = random(hidden, scale=0.3)
            if bias in (RECURRENT_BIAS, DOUBLE_BIAS):
                inputs[f'b.{pseudo}.{gates + gate}'] = random(hidden, scale=0.3)
        if projection:
            inputs[f'w.{pseudo}.{2 * gates}'] = random(projection, hidden, scale=0.3)
    name = '-'.join([RNN_NAMES[kind], f'{layers}x{directions}', ['packed', 'padded-ex', 'packed-ex', 'batch-first-ex'][form],
                     *(['projection'] if projection else []), *([] if bias == DOUBLE_BIAS else [f'bias{bias}']),
                     *([['standard', 'static', 'dynamic'][algo]] if algo else []), *(['even'] if even else [])])
    case = Case(f'rnn-{name}', 'rnn', dict(mode=kind, steps=steps, batch=batch, bias=bias, form=form, algo=algo, **sizes), inputs,
                lambda t: recurrent_reference(t, kind, sizes, lengths, form), ints=dict(lengths=lengths))
    case.laid_out = {what: rows(inputs[what], lengths, form) for what in ('x', 'dy')}
    return case


def recurrents():
    for kind, layers, directions, form in itertools.product(range(4), (1, 2, 3), (1, 2), (0, 1, 2)):
        yield recurrent(kind, layers, directions, form)
    for kind in range(4):
        yield recurrent(kind, 2, 2, 3)
        yield recurrent(kind, 2, 2, 0, even=True)
        for bias in (NO_BIAS, INPUT_BIAS, RECURRENT_BIAS):
            for form in (0, 1):
                yield recurrent(kind, 2, 2, form, bias=bias)
    for layers, directions, form in itertools.product((1, 2, 3), (1, 2), (0, 1, 2)):
        yield recurrent(LSTM, layers, directions, form, projection=8)
    for kind, algo, form in itertools.product(range(4), (1, 2), (0, 1)):
        case = recurrent(kind, 1, 1, form, algo=algo, even=True)
        case.limit = 3e-5   # cuDNN's persistent kernels approximate tanh; torch takes the standard ones
        yield case
    unplanned = recurrent(LSTM, 1, 1, 0, algo=2, even=True)
    unplanned.name, unplanned.arguments['plan'] = 'rnn-lstm-dynamic-without-a-plan', 0
    unplanned.refused = 'cudnnRNNForwardTraining: CUDNN_STATUS_INVALID_VALUE'
    yield unplanned


def all_cases():
    torch.manual_seed(8)
    for make in (convolutions, normalizations, poolings, pointwise, reductions, ctc, attentions, recurrents):
        yield from make()
