# SPDX-License-Identifier: Apache-2.0
"""A small Whisper model with random weights, encoded by an unmodified CTranslate2.

whisper.py make DIR             writes the model (seeded: the same one each time)
whisper.py encode DIR DEVICE TYPE OUT.npy    encodes a fixed random spectrogram
whisper.py compare OUT.npy REFERENCE.npy LIMIT  relative difference; exit status 1 beyond LIMIT
"""
import sys

import numpy as np

WIDTH, HEADS, LAYERS, MELS, FRAMES, WORDS = 384, 6, 4, 80, 3000, 400


def fill(spec, random):
    def weights(*shape):
        return (random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)

    def linear(layer, rows, columns):
        layer.weight = weights(rows, columns)
        layer.bias = (random.standard_normal(rows) * 0.02).astype(np.float32)

    def norm(layer):
        layer.gamma = (1 + random.standard_normal(WIDTH) * 0.02).astype(np.float32)
        layer.beta = (random.standard_normal(WIDTH) * 0.02).astype(np.float32)

    def block(layer, cross):
        norm(layer.self_attention.layer_norm)
        linear(layer.self_attention.linear[0], 3 * WIDTH, WIDTH)
        linear(layer.self_attention.linear[1], WIDTH, WIDTH)
        if cross:
            norm(layer.attention.layer_norm)
            linear(layer.attention.linear[0], WIDTH, WIDTH)
            linear(layer.attention.linear[1], 2 * WIDTH, WIDTH)
            linear(layer.attention.linear[2], WIDTH, WIDTH)
        norm(layer.ffn.layer_norm)
        linear(layer.ffn.linear_0, 4 * WIDTH, WIDTH)
        linear(layer.ffn.linear_1, WIDTH, 4 * WIDTH)

    encoder, decoder = spec.encoder, spec.decoder
    encoder.conv1.weight, encoder.conv2.weight = weights(WIDTH, MELS, 3), weights(WIDTH, WIDTH, 3)
    for conv in (encoder.conv1, encoder.conv2):
        conv.bias = (random.standard_normal(WIDTH) * 0.02).astype(np.float32)
    encoder.position_encodings.encodings = weights(FRAMES // 2, WIDTH)
    decoder.position_encodings.encodings = weights(448, WIDTH)
    decoder.embeddings.weight = weights(WORDS, WIDTH)
    decoder.projection.weight = decoder.embeddings.weight
    norm(encoder.layer_norm)
    norm(decoder.layer_norm)
    for layer in encoder.layer:
        block(layer, False)
    for layer in decoder.layer:
        block(layer, True)


def make(directory):
    from ctranslate2.specs import WhisperSpec
    import os
    spec = WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    fill(spec, np.random.default_rng(20231130))
    special = ['<|endoftext|>', '<|startoftranscript|>', '<|transcribe|>', '<|notimestamps|>']
    spec.register_vocabulary(special + [f'word{i}' for i in range(WORDS - len(special))])
    spec.config.suppress_ids, spec.config.suppress_ids_begin = [], []
    spec.config.lang_ids, spec.config.alignment_heads = [2], [(0, 0)]
    spec.validate()
    spec.optimize(quantization=None)
    os.makedirs(directory, exist_ok=True)
    spec.save(directory)
    print('model written')


def encode(directory, device, compute_type, out):
    import ctranslate2
    model = ctranslate2.models.Whisper(directory, device=device, compute_type=compute_type)
    features = np.random.default_rng(7).standard_normal((2, MELS, FRAMES)).astype(np.float32)
    output = model.encode(ctranslate2.StorageView.from_array(features), to_cpu=True)
    output = np.array(output.to(ctranslate2.DataType.float32))
    if not np.isfinite(output).all() or not output.any():
        raise SystemExit('the encoder answered nothing, or no numbers')
    np.save(out, output)
    print(f'encoded on {device} as {compute_type}: {output.shape}')


def compare(out, reference, limit):
    a, b = np.load(out).astype(np.float64), np.load(reference).astype(np.float64)
    worst = np.abs(a - b).max() / np.abs(b).max()
    print(f'relative difference {worst:.2e}, limit {float(limit):g}')
    return 0 if a.shape == b.shape and worst <= float(limit) else 1


if __name__ == '__main__':
    sys.exit({'make': make, 'encode': encode, 'compare': compare}[sys.argv[1]](*sys.argv[2:]))
