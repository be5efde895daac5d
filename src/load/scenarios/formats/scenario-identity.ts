import type { ScenarioIdentity } from '../../../domain/scenario-identity.ts';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { namesSecret, namesSecretHeader } from '../../../shared/redaction/assigned-secrets.ts';
import { withoutCi } from './ci-section.ts';

/** Keys that change neither the task nor its verdict. */
const bookkeeping = ['$schema', 'name', 'description', 'tags', 'tier', 'repeat', 'worker', 'source', 'cost', 'inputs'];
/** Keys that hold the cases: files that differ in nothing else hold rows of one source. */
const caseKeys = ['cases', 'input', 'expected', 'expectedBehavior', 'metadata', 'dataset', 'triggers', 'task'];

/** Values that are kept of the subject; one with more is described by a hash. */
const mostValues = 60;
const longestValue = 120;

interface IdentifiedParts {
  /** Content of the file. */
  readonly written: unknown;
  /** Keys of the file that describe what is under test. */
  readonly subjectKeys: readonly string[];
  /** The subject under test, with everything that names stand for. */
  readonly subject: unknown;
  /** Content beside the file that belongs to the task: cases, judges, files. */
  readonly content: readonly unknown[];
  /** Whether cases name the group of cases that they belong to. */
  readonly hasClusters?: boolean | undefined;
}

/** A scenario by its parts: the task, the source of its cases, and what is under test. */
export function identityOf({ written, subjectKeys, subject, content, hasClusters }: IdentifiedParts): ScenarioIdentity {
  const file = withoutKeys(withoutCi(written), bookkeeping);
  return {
    task: sha256(canonicalJson([withoutKeys(withoutClusters(file), subjectKeys), ...content])),
    template: sha256(canonicalJson(withoutKeys(file, caseKeys))),
    subject: subjectOf(subject),
    ...(hasClusters && { clusters: true as const }),
  };
}

/** Which cases resemble each other changes nothing about the task. */
function withoutClusters(file: unknown): unknown {
  if (!isRecord(file)) return file;
  const { dataset, cases } = file;
  return {
    ...file,
    ...(isRecord(dataset) && { dataset: withoutKeys(dataset, ['cluster']) }),
    ...(Array.isArray(cases) && { cases: cases.map((one) => withoutKeys(one, ['cluster'])) }),
  };
}

function withoutKeys(value: unknown, keys: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function subjectOf(subject: unknown): Record<string, string> {
  const values = [...valuesIn(subject, [])];
  if (values.length > mostValues) return { content: shortHash(canonicalJson(subject)) };
  return Object.fromEntries(values);
}

/** Single values by their paths, without secrets: hashes still distinguish two that differ. */
function* valuesIn(value: unknown, path: readonly string[]): Generator<[string, string], void> {
  if (Array.isArray(value) || isRecord(value)) {
    for (const [key, part] of Object.entries(value)) if (part !== undefined) yield* valuesIn(part, [...path, key]);
    return;
  }
  const text = typeof value === 'string' ? value : canonicalJson(value ?? null);
  const isSecret = path.some((key, depth) =>
    path[depth - 1] === 'headers' ? namesSecretHeader(key) : namesSecret(key),
  );
  yield [path.join('.'), isSecret || text.length > longestValue ? shortHash(text) : withoutCredentials(text)];
}

/** An address may carry a password or a token. */
function withoutCredentials(text: string): string {
  if (!/^\w+:\/\//.test(text) || !/[@?]/.test(text)) return text;
  const address = text.replace(/\/\/[^/@]*@/, '//').replace(/\?.*$/s, '');
  return `${address} (${shortHash(text)})`;
}

function shortHash(text: string): string {
  return sha256(text).slice(0, 12);
}
