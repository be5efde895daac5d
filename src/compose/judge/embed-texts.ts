import { UnansweredRequests } from '../../domain/costs.ts';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { totalSpending } from '../../domain/judge-result.ts';
import type { Model } from '../../drive/models/model.ts';
import type { EmbeddedTexts } from '../../score/judge/judge.ts';

/** The vectors of texts from one request, each text once. Rejects only when aborted. */
export async function embedTexts(texts: readonly string[], model: Model, signal: AbortSignal): Promise<EmbeddedTexts> {
  const unanswered = new UnansweredRequests();
  const different = [...new Set(texts)];
  try {
    const reply = await model.generate({ messages: [], embed: different }, signal, unanswered);
    const { vectors = [], usage, isReplayed } = reply;
    const spent = { ...totalSpending([{ usage, costUsd: isReplayed ? 0 : reply.costUsd }]), ...doubt(unanswered) };
    const all = texts.map((text) => vectors[different.indexOf(text)] ?? []);
    const isComparable = new Set(all.map(({ length }) => length)).size <= 1;
    if (!isComparable) return { model: model.name, error: differentLengths(model.name), ...spent };
    return { model: model.name, vectors: all, ...spent };
  } catch (error) {
    if (signal.aborted) throw error;
    return { model: model.name, error: asAssayError(error), ...totalSpending([]), ...doubt(unanswered) };
  }
}

/** A request without a reply may have cost anything. */
function doubt({ count }: UnansweredRequests) {
  return count === 0 ? {} : { costUsd: null, unansweredRequests: count };
}

function differentLengths(model: string): AssayError {
  return new AssayError('MODEL_BAD_REPLY', `${model} gave embeddings of different lengths, which cannot be compared.`);
}
