"""The embedded encoder: its weights are the pinned ones, its vectors depend on the text alone."""

import threading

import numpy as np
import pytest

from graphrag_assets.models.offline import embeddings


def test_vectors_are_unit_float32_of_512_dimensions():
    vectors = embeddings.embed(["The harbour was closed.", "港口关闭了。"])

    assert vectors.shape == (2, 512)
    assert np.float32 == vectors.dtype
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_meaning_is_near_across_languages():
    harbour, hafen, cat = embeddings.embed(
        ["The storm closed the harbour.", "风暴使港口关闭。", "My cat likes to sleep on books."]
    )

    assert harbour @ hafen > harbour @ cat + 0.2


def test_a_text_has_the_same_vector_alone_and_in_any_company():
    texts = [
        "The harbour was closed.",
        "x" * 5000,
        "港口关闭了。",
        "A longer sentence about seals.",
    ]
    together = embeddings.embed(texts)

    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(vector, embeddings.embed([text])[0])


def test_threads_do_not_disturb_each_other():
    texts = [f"Sentence number {n} about the harbour." for n in range(40)]
    expected = embeddings.embed(texts)
    results: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: results.append(embeddings.embed(texts))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(np.array_equal(expected, result) for result in results)


@pytest.mark.parametrize(
    "text", ["", "   ", "\n\t\x00", "🎉", "\ud800", "a" * 100_000, "字" * 20_000]
)
def test_no_text_breaks_the_encoder(text):
    assert np.isfinite(embeddings.embed([text])).all()


def test_no_texts_give_no_rows():
    assert embeddings.embed([]).shape == (0, 512)


def test_foreign_weights_are_refused(tmp_path):
    for name in embeddings.SHA256:
        (tmp_path / name).write_bytes(b"other")

    with pytest.raises(embeddings.WeightsError, match=r"weights\.npz has sha256"):
        embeddings.check_weights(tmp_path)
