import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { UnansweredRequests } from '../../domain/costs.ts';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { totalSpending } from '../../domain/judge-result.ts';
import type { Model } from '../../drive/models/model.ts';
import type { EmbeddedTexts } from '../../score/judge/judge.ts';
import { sha256 } from '../../shared/ids.ts';
import { parseJson } from '../../shared/json.ts';

interface Embedding {
  readonly model: Model;
  /** Where vectors are cached; undefined where they are not. */
  readonly cacheFolder: string | undefined;
  readonly signal: AbortSignal;
}

/** The vectors of texts: cached ones where there are, the others from one request. Rejects only when aborted. */
export async function embedTexts(texts: readonly string[], embedding: Embedding): Promise<EmbeddedTexts> {
  const { model, cacheFolder, signal } = embedding;
  const unanswered = new UnansweredRequests();
  const cached = await Promise.all(texts.map((text) => readVector(cacheFolder, model.name, text)));
  const missing = [...new Set(texts.filter((_, index) => cached[index] === undefined))];
  if (missing.length === 0)
    return {
      model: model.name,
      vectors: cached.flatMap((vector) => [vector ?? []]),
      isCached: true,
      ...totalSpending([]),
    };
  try {
    const reply = await model.generate({ messages: [], embed: missing }, signal, unanswered);
    const { vectors = [], usage, isReplayed } = reply;
    const all = texts.map((text, index) => cached[index] ?? vectors[missing.indexOf(text)] ?? []);
    const spent = { ...totalSpending([{ usage, costUsd: isReplayed ? 0 : reply.costUsd }]), ...doubt(unanswered) };
    const lengths = new Set(all.map(({ length }) => length));
    if (lengths.size > 1) return { model: model.name, error: differentLengths(model.name), ...spent };
    await Promise.all(missing.map((text, index) => writeVector(cacheFolder, model.name, text, vectors[index] ?? [])));
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
  return new AssayError('MODEL_BAD_REPLY', `${model} gave embeddings of different lengths, which cannot be compared.`, {
    hint: 'Remove .assay/embedding-cache if the model was changed under the same name.',
  });
}

const vectorSchema = () => z.array(z.number()).min(1);

/** By model and text; an unreadable file counts as missing. */
async function readVector(folder: string | undefined, model: string, text: string): Promise<number[] | undefined> {
  if (folder === undefined) return undefined;
  const written = await readFile(fileOf(folder, model, text), 'utf8').catch(() => undefined);
  return written === undefined ? undefined : vectorSchema().safeParse(parseJson(written)).data;
}

/** A vector that cannot be kept is still a vector. */
async function writeVector(folder: string | undefined, model: string, text: string, vector: readonly number[]) {
  if (folder === undefined) return;
  const file = fileOf(folder, model, text);
  const unfinished = `${file}.${randomUUID()}.tmp`;
  await mkdir(folder, { recursive: true })
    .then(() => writeFile(unfinished, JSON.stringify(vector)))
    .then(() => rename(unfinished, file))
    .catch(() => undefined);
}

function fileOf(folder: string, model: string, text: string): string {
  return join(folder, `${sha256(JSON.stringify([model, text]))}.json`);
}
