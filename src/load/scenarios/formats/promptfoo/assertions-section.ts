import type { PartSpec } from '../../../../domain/scenario.ts';
import { isRecord, parseJson } from '../../../../shared/json.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { readCode } from './code-section.ts';
import { Located, type PromptfooReading, refuseOtherKeys } from './located.ts';
import { fillAt, hasTemplate, type Vars } from './nunjucks-text.ts';
import { pythonAssertionCommand } from './programs.ts';
import { dataOfFile, existsBeside, referenceIn, textOfFile } from './referenced-files.ts';

/** An assertion of a test with the values of its vars. */
interface Assertion {
  readonly type: string;
  readonly isNegated: boolean;
  readonly item: Located;
  readonly value: Located;
  readonly threshold: number | undefined;
  readonly reading: PromptfooReading;
}

/** An assertion as evaluators of Assay. */
interface Meaning {
  readonly type: string;
  readonly config: unknown;
  /** True where the assertion has a score beside its verdict. */
  readonly hasScore?: boolean;
  /** True where the score of the negated assertion is what is missing to 1. */
  readonly isComplement?: boolean;
  /** True where the evaluator is the negation already. */
  readonly isNegation?: boolean;
}

type Means = (assertion: Assertion) => Meaning | undefined | Promise<Meaning | undefined>;

const usualSimilarity = 0.75;

const meanings: Readonly<Record<string, Means>> = {
  equals: ({ value, item, reading }) => {
    if (isRecord(value.value) || Array.isArray(value.value)) {
      return { type: 'json-schema', config: { schema: { const: value.value } } };
    }
    return withText(value, item, reading, (text) => ({ type: 'equals', config: { text, trim: false } }));
  },
  contains: (assertion) => containing(assertion, true),
  icontains: (assertion) => containing(assertion, false),
  'contains-all': (assertion) => containingSome(assertion, 'all', true),
  'contains-any': (assertion) => containingSome(assertion, 'any', true),
  'icontains-all': (assertion) => containingSome(assertion, 'all', false),
  'icontains-any': (assertion) => containingSome(assertion, 'any', false),
  'starts-with': ({ value, item, reading }) =>
    withText(value, item, reading, (text) => ({ type: 'starts-with', config: { text, trim: false } })),
  regex: ({ value, item, isNegated, reading }) =>
    withText(value, item, reading, (pattern) => ({
      type: 'regex',
      config: { pattern, mustMatch: !isNegated },
      isNegation: isNegated,
    })),
  'is-json': (assertion) => jsonSchema(assertion, false),
  'contains-json': (assertion) => jsonSchema(assertion, true),
  javascript: ({ value, item, isNegated, threshold, reading }) => {
    const code = readCode(value.isMissing ? item : value, '`value` of a javascript assertion', reading);
    const options = item.get('config').value;
    const more = {
      ...(threshold !== undefined && { threshold }),
      ...(isRecord(options) && { options }),
      ...(isNegated && { negate: true }),
    };
    return code && { type: 'javascript', config: { ...code, ...more }, hasScore: true, isNegation: isNegated };
  },
  python,
  levenshtein: ({ value, item, threshold = usualDistance, reading }) =>
    withText(value, item, reading, (text) => ({ type: 'javascript', config: { code: distanceCode(text, threshold) } })),
  'word-count': wordCount,
  'is-refusal': ({ isNegated }) => ({
    type: 'refusal',
    config: { mustRefuse: !isNegated },
    isNegation: isNegated,
  }),
  cost: ({ threshold, item, reading }) =>
    withLimit(threshold, item, reading, (maxUsd) => ({ type: 'cost-budget', config: { maxUsd } })),
  latency: ({ threshold, item, reading }) =>
    withLimit(threshold, item, reading, (maxMs) => ({ type: 'latency-budget', config: { maxMs } })),
  similar: ({ value, item, threshold = usualSimilarity, reading }) => {
    const texts = value.items().map(({ written }) => written);
    const model = modelOf(item.get('provider'), reading);
    if (texts.length === 0) reading.found.problems.push(item.problem('`value` of this assertion is missing'));
    const config = { text: texts, minimum: threshold, ...(model !== undefined && { model }) };
    return { type: 'embedding-similarity', config, hasScore: true, isComplement: true };
  },
  'llm-rubric': judged,
  'model-graded-closedqa': judged,
  factuality: facts,
  'model-graded-factuality': facts,
  'g-eval': ({ value, item, isNegated, threshold = usualGrade, reading }) => {
    const texts = value.items().flatMap(({ text }) => text ?? []);
    if (isNegated || texts.length === 0) {
      reading.found.problems.push(item.problem('a `g-eval` needs criteria in `value`, and cannot be negated'));
      return undefined;
    }
    const config = { instructions: texts.join('\n'), passThreshold: threshold, evidence: 'optional' };
    return { type: 'score-judge', config, hasScore: true };
  },
};

const usualDistance = 5;
const usualGrade = 0.7;

/** JavaScript for the number of characters that have to be changed. */
function distanceCode(text: string, most: number): string {
  return `const [a, b] = [${JSON.stringify(text)}, typeof output === 'string' ? output : JSON.stringify(output)];
let row = Array.from({ length: b.length + 1 }, (_, index) => index);
for (let i = 1; i <= a.length; i++) {
  const next = [i];
  for (let j = 1; j <= b.length; j++)
    next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
  row = next;
}
const distance = row[b.length];
return { pass: distance <= ${most}, reason: 'Levenshtein distance ' + distance + ', wanted at most ${most}' };`;
}

function wordCount({ value, item, reading }: Assertion): Meaning | undefined {
  const exact = numberOf(value);
  const [min, max] = exact === undefined ? [numberOf(value.get('min')), numberOf(value.get('max'))] : [exact, exact];
  if (min === undefined && max === undefined) {
    reading.found.problems.push(item.problem('`value` of this assertion must be a number, or have `min` or `max`'));
    return undefined;
  }
  const code = `const text = typeof output === 'string' ? output : JSON.stringify(output);
const count = text.trim().split(/\\s+/).filter(Boolean).length;
return { pass: count >= ${min ?? 0} && count <= ${max ?? Number.MAX_SAFE_INTEGER}, reason: 'The answer has ' + count + ' words' };`;
  return { type: 'javascript', config: { code } };
}

/** An answer may say less or more than the facts, and not the opposite. */
function facts({ value, item, isNegated, reading }: Assertion): Meaning | undefined {
  return withText(value, item, reading, (text) => {
    const criterion = `The answer states a fact that contradicts this: ${text}`;
    if (isNegated) return { type: 'llm-judge', config: { successCriteria: criterion }, isNegation: true };
    return { type: 'llm-judge', config: { failureCriteria: criterion } };
  });
}

/** Code in Python: an expression, the lines of a function, or a function of a file. */
function python({ value, item, isNegated, threshold, reading }: Assertion): Meaning | undefined {
  return withText(value, item, reading, (text) => {
    const reference = referenceIn(text);
    if (reference && !existsBeside(reference.path, reading)) {
      reading.found.problems.push(value.problem(`there is no file ${reference.path}`));
    }
    const options = {
      ...(reference && { path: reference.path, name: reference.exportName ?? 'get_assert' }),
      ...(!reference && { path: '', code: text }),
      config: item.get('config').value ?? {},
      threshold: threshold ?? null,
      negate: isNegated,
    };
    const config = { command: pythonAssertionCommand, name: 'python', options };
    return { type: 'command', config, hasScore: true, isNegation: isNegated };
  });
}

function judged({ value, item, isNegated, threshold, reading }: Assertion): Meaning | undefined {
  return withText(value, item, reading, (text) => {
    if (isNegated) return { type: 'llm-judge', config: { failureCriteria: text }, isNegation: true };
    if (threshold === undefined) return { type: 'llm-judge', config: { successCriteria: text } };
    const config = { instructions: text, passThreshold: threshold, evidence: 'optional' };
    return { type: 'score-judge', config, hasScore: true };
  });
}

function containing({ value, item, isNegated, reading }: Assertion, caseSensitive: boolean): Meaning | undefined {
  return withText(value, item, reading, (text) => ({
    type: isNegated ? 'not-contains' : 'contains',
    config: { text, caseSensitive },
    isNegation: isNegated,
  }));
}

function containingSome(
  { value, item, isNegated, reading }: Assertion,
  match: 'all' | 'any',
  caseSensitive: boolean,
): Meaning | undefined {
  const listed = value.text === undefined ? value.items().map(({ written }) => written) : separated(value.text);
  const text = listed.filter((part) => part !== '');
  if (text.length === 0) {
    reading.found.problems.push(item.problem('`value` of this assertion is missing'));
    return undefined;
  }
  if (isNegated && match === 'any') return { type: 'not-contains', config: { text, caseSensitive }, isNegation: true };
  return { type: 'contains', config: { text, match, caseSensitive } };
}

/** A list as text, with commas between its parts; a part in quotes may contain commas. */
function separated(text: string): string[] {
  const parts = [...text.matchAll(/[\s,]*(?:"((?:[^"\\]|\\[\s\S]|"")*)"\s*(?=,|$)|([^,]+))/g)];
  return parts.map(([, quoted, plain = '']) =>
    quoted === undefined ? plain.trim() : quoted.replace(/\\(["\\])|""/g, (_, escaped = '"') => escaped),
  );
}

async function jsonSchema({ value, reading }: Assertion, anywhere: boolean): Promise<Meaning | undefined> {
  const config = (schema: unknown): Meaning => ({
    type: 'json-schema',
    config: { schema, ...(anywhere && { anywhere: 'object' }) },
  });
  if (value.isMissing) return config(true);
  if (value.text === undefined) return config(value.value);
  const reference = referenceIn(value.text);
  if (reference) {
    const data = await dataOfFile(reference.path, value, reading);
    return data && config(data.value);
  }
  const { parseSource } = await import('../../../sources/source-file.ts');
  const data = parseJson(value.text) ?? (await parseSource('schema.yaml', value.text).catch(() => undefined))?.value;
  if (isRecord(data)) return config(data);
  reading.found.problems.push(value.problem('`value` must be a JSON Schema'));
  return undefined;
}

function withText(
  value: Located,
  item: Located,
  { found }: PromptfooReading,
  make: (text: string) => Meaning,
): Meaning | undefined {
  const { value: written } = value;
  const isScalar = ['string', 'number', 'boolean'].includes(typeof written);
  if (isScalar && written !== '') return make(String(written));
  found.problems.push((value.isMissing ? item : value).problem('`value` of this assertion must be a text'));
  return undefined;
}

function withLimit(
  threshold: number | undefined,
  item: Located,
  { found }: PromptfooReading,
  make: (limit: number) => Meaning,
): Meaning | undefined {
  if (threshold !== undefined) return make(threshold);
  found.problems.push(item.problem('`threshold` of this assertion is missing'));
  return undefined;
}

/** A model of promptfoo in the notation of Assay; undefined where none is named. */
export function modelOf(item: Located, { found }: PromptfooReading): string | undefined {
  if (item.isMissing) return undefined;
  const id = item.text ?? item.get('id').text;
  const match = /^(openai|anthropic):(?:(?:chat|responses|messages|embeddings?):)?(.+)$/.exec(id ?? '');
  const hasConfig = !item.get('config').isMissing;
  if (match && !hasConfig) return `${match[1]}/${match[2]}`;
  const message = hasConfig
    ? '`config` of a grading provider has no equal in Assay'
    : `the provider "${id ?? ''}" cannot grade here`;
  found.problems.push(item.problem(message, 'Choose the judge with `models.judge` of the config, or `--judge-model`.'));
  return undefined;
}

const supported = ['type', 'value', 'threshold', 'weight', 'metric', 'provider', 'config'];

/** Evaluators of a test: its assertions and, where it has a threshold, the weighted share that must hold. */
export class TestEvaluators {
  readonly #reading: PromptfooReading;
  readonly #vars: Vars;
  readonly #specs: PartSpec[] = [];
  #next = 1;

  constructor(vars: Vars, reading: PromptfooReading) {
    this.#vars = vars;
    this.#reading = reading;
  }

  async evaluatorsOf(assertions: readonly Located[], threshold: number | undefined): Promise<readonly PartSpec[]> {
    const terms = await this.#termsOf(assertions, threshold !== undefined);
    if (threshold !== undefined && terms.length > 0) this.#add('expression', { expression: shareOf(terms, threshold) });
    return this.#specs;
  }

  /** Adds the evaluators; those that count only together are terms of an expression. */
  async #termsOf(assertions: readonly Located[], isCounted: boolean): Promise<Term[]> {
    const terms: Term[] = [];
    for (const item of assertions) {
      const weight = numberOf(item.get('weight')) ?? 1;
      // A set that fails fails its test whatever its weight; single assertions of weight 0 do not.
      if (item.get('type').value === 'assert-set') terms.push(...(await this.#addSet(item, weight, isCounted)));
      else if (weight === 0) this.#warnOfWeight(item);
      else terms.push(...(await this.#addOne(item, weight, isCounted)));
    }
    return terms;
  }

  async #addOne(item: Located, weight: number, isCounted: boolean): Promise<Term[]> {
    const meaning = await this.#meaningOf(item);
    if (!meaning) return [];
    const isNegated = isNegation(item) && !meaning.isNegation;
    if (!isCounted && !isNegated) {
      this.#add(meaning.type, meaning.config, undefined, item);
      return [];
    }
    const id = `assertion-${this.#next++}`;
    this.#add(meaning.type, meaning.config, id, item);
    const verdict = `results["${id}"]`;
    if (!isCounted) {
      this.#add('expression', { not: [verdict] });
      return [];
    }
    return [{ score: scoreOf(meaning, id, isNegated), verdict: isNegated ? `!${verdict}` : verdict, weight }];
  }

  /** All assertions of a set must hold, or a share of them; without one that has a weight its score is 0. */
  async #addSet(item: Located, weight: number, isCounted: boolean): Promise<Term[]> {
    refuseOtherKeys(item, ['type', 'assert', 'threshold', 'weight', 'metric'], 'of an assert-set', this.#reading);
    const terms = await this.#termsOf(item.get('assert').items(), true);
    const threshold = numberOf(item.get('threshold'));
    const all = terms.map((term) => term.verdict).join(' && ') || 'true';
    const verdict = threshold === undefined ? all : shareOf(terms, threshold);
    if (!isCounted) {
      if (terms.length > 0 || (threshold ?? 0) > 0) this.#add('expression', { expression: verdict });
      return [];
    }
    return [{ score: `(${averageOf(terms)})`, verdict: `(${verdict})`, weight }];
  }

  async #meaningOf(item: Located): Promise<Meaning | undefined> {
    const { found } = this.#reading;
    refuseOtherKeys(item, supported, 'of an assertion', this.#reading);
    const written = item.get('type').text ?? '';
    const isNegated = isNegation(item);
    const type = written.replace(/^not-/, '');
    const means = Object.hasOwn(meanings, type) ? meanings[type] : undefined;
    if (!means) {
      const hint = `Use one of ${Object.keys(meanings).join(', ')}, assert-set, or not- before one of them.`;
      found.problems.push(item.get('type').problem(`the assertion "${written}" has no equal in Assay`, hint));
      return undefined;
    }
    const value = await this.#filled(item.get('value'), type);
    return (
      value &&
      means({ type, isNegated, item, value, threshold: numberOf(item.get('threshold')), reading: this.#reading })
    );
  }

  /** The value with the vars of the test in it; code gets them as `context.vars` too. */
  async #filled(value: Located, type: string): Promise<Located | undefined> {
    const { text } = value;
    const reference = text === undefined || isCodeType(type) || type.endsWith('json') ? undefined : referenceIn(text);
    if (reference) {
      const content = await textOfFile(reference.path, value, this.#reading);
      return content === undefined
        ? undefined
        : this.#filled(new Located(content.trim(), value.source, value.path), type);
    }
    return new Located(this.#fill(value.value, value), value.source, value.path);
  }

  #fill(value: unknown, place: Located): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#fill(part, place));
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.#fill(part, place)]));
    if (typeof value !== 'string' || !hasTemplate(value)) return value;
    return fillAt(place, value, this.#vars, this.#reading);
  }

  #warnOfWeight(item: Located): void {
    const message = 'an assertion of weight 0 decides nothing, so it is not evaluated';
    this.#reading.found.warnings.push(item.get('weight').problem(message));
  }

  /** Adds an evaluator whose config is checked; its problems are reported at the assertion. */
  #add(type: string, config: unknown, id?: string, item?: Located): void {
    const { context, found } = this.#reading;
    const evaluator = context.parts.evaluators.find((candidate) => candidate.type === type);
    const parsed = evaluator?.configSchema.safeParse(config);
    if (parsed?.success) this.#specs.push({ type, config: parsed.data, ...(id !== undefined && { id }) });
    else if (evaluator && parsed && item) {
      const at = item.at;
      const issues = problemsOf(parsed.error, item.source, evaluator.configSchema, item.path);
      found.problems.push(...issues.map((problem) => ({ ...problem, at })));
    }
  }
}

/** A part of a weighted sum. */
interface Term {
  readonly score: string;
  readonly verdict: string;
  readonly weight: number;
}

function scoreOf({ hasScore, isComplement }: Meaning, id: string, isNegated: boolean): string {
  if (hasScore && !isNegated) return `scores["${id}"]`;
  if (hasScore && isComplement) return `(1 - scores["${id}"])`;
  return `(${isNegated ? '!' : ''}results["${id}"] ? 1 : 0)`;
}

function averageOf(terms: readonly Term[]): string {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total <= 0) return '0';
  return `(${terms.map(({ score, weight }) => `${score} * ${weight}`).join(' + ')}) / ${total}`;
}

function shareOf(terms: readonly Term[], threshold: number): string {
  return `${averageOf(terms)} >= ${threshold}`;
}

function isCodeType(type: string): boolean {
  return type === 'javascript' || type === 'python';
}

function isNegation(item: Located): boolean {
  return item.get('type').text?.startsWith('not-') ?? false;
}

/** A number, also as text. */
export function numberOf({ value }: Located): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
