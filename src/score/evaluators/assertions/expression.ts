import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { EvaluatorResult } from '../../../domain/outcome.ts';
import { didYouMean } from '../../../shared/suggest.ts';
import { CriterionError, unusableCriterion } from '../../criteria/criterion-error.ts';
import {
  compileFindingsExpression,
  type FindingsExpression,
  type NamedFinding,
} from '../../criteria/findings-expression.ts';
import { findingsExpressionSchema } from '../../criteria/source-schemas.ts';
import {
  type Answer,
  allParts,
  defineEvaluator,
  type EarlierFindings,
  type EvaluationContext,
  judgeParts,
} from '../evaluator.ts';
import { shortened } from '../excerpt.ts';

const scopeText =
  'over `results.<name>` (whether an assertion passed), `scores.<name>`, `metrics.<name>`, `judge.<criterion>` (`met`, `not-met`, `cannot-tell`), `input` and `expected`; names are ids or types, with quotes where they have a hyphen: `results["tool-called"]`';

const several = () => z.array(findingsExpressionSchema).min(1).optional();

const configSchema = () =>
  z
    .strictObject({
      expression: findingsExpressionSchema.optional().describe(`boolean expression that must be true, ${scopeText}`),
      all: several().describe('expressions that must all be true'),
      any: several().describe('expressions of which at least one must be true'),
      not: several().describe('expressions that must all be false'),
    })
    .refine((config) => Object.values(config).some((part) => part !== undefined), {
      message: 'Give at least one of `expression`, `all`, `any` and `not`',
    });

type ExpressionConfig = z.output<ReturnType<typeof configSchema>>;

/** One verdict over the findings of the other evaluators. */
export const expression = defineEvaluator({
  type: 'expression',
  kind: 'assertion',
  summary:
    'a boolean expression over other results, scores, metrics and judge answers; named assertions count through it',
  example: { expression: "metrics['token-usage'] < 500 && (results.contains || results.regex)" },
  reads: { channels: {} },
  runsLast: true,
  configSchema,
  partsIn: (config) => compileFindingsExpression(sourceOf(config)).named.flatMap(partNames),
  prepare(config) {
    const compiled = compileFindingsExpression(sourceOf(config));
    return (context) => decide(compiled, context);
  },
});

/** All of a config as one expression. */
function sourceOf({ expression: single, all = [], any = [], not = [] }: ExpressionConfig): string {
  const joined = (sources: readonly string[], operator: string) => sources.map((one) => `(${one})`).join(operator);
  const parts = [
    ...(single === undefined ? [] : [single]),
    ...all,
    ...(any.length > 0 ? [joined(any, ' || ')] : []),
    ...not.map((one) => `!(${one})`),
  ];
  return parts.length === 1 ? (parts[0] ?? '') : joined(parts, ' && ');
}

/** Metrics never decide by themselves. */
function partNames({ root, key }: NamedFinding): string[] {
  if (root === 'judge') return [judgeParts];
  if (root !== 'results' && root !== 'scores') return [];
  return key === undefined ? [allParts] : [key];
}

function decide(compiled: FindingsExpression, { trial, earlier }: EvaluationContext): Answer<'assertion'> {
  if (!earlier) throw new AssayError('INTERNAL', 'An expression was evaluated without the findings of the others.');
  const { input, expected } = trial.case;
  const findings = new NamedFindings(earlier);
  for (const finding of compiled.named) findings.requireKnownName(finding);
  try {
    const answer = compiled.answer({ ...findings.scope(), input, expected }, (finding) => findings.whyUnknown(finding));
    if (answer.state === 'unknown') throw new AssayError('PART_NOT_JUDGED', answer.reason);
    const isMet = answer.state === 'met';
    return { state: isMet ? 'pass' : 'fail', reason: shortened(answer.explanation), value: isMet ? 1 : 0 };
  } catch (error) {
    throw error instanceof CriterionError ? unusableCriterion(error.defect) : error;
  }
}

interface Finding {
  readonly value: unknown;
  /** Why there is no value. */
  readonly unknown?: string;
}

type FindingsByName = ReadonlyMap<string, Finding>;

/** The findings of a trial by the names that expressions use. */
class NamedFindings {
  readonly #byRoot: Readonly<Record<string, FindingsByName>>;
  readonly #judgeIsSilent: string | undefined;

  constructor({ results, metrics, judge }: EarlierFindings) {
    const assertions = results.filter(({ kind }) => kind === 'assertion');
    const figures = results.filter(({ kind }) => kind === 'metric');
    const reasonOf = (name: string) => figures.find((result) => (result.name ?? result.type) === name)?.reason;
    const isAnswered = (judge?.criteria ?? []).length > 0;
    this.#judgeIsSilent = isAnswered
      ? undefined
      : `the judge answered no criterion: ${judge?.reason ?? 'it did not run'}`;
    this.#byRoot = {
      results: byName(assertions, verdictOf),
      scores: byName(assertions, scoreOf),
      metrics: new Map(
        Object.entries(metrics).map(([name, value]) => {
          const unknown = `${name} was not measured: ${reasonOf(name) ?? 'there is no value'}`;
          return [name, value === null ? { value, unknown } : { value }] as const;
        }),
      ),
      judge: new Map((judge?.criteria ?? []).map(({ id, answer }) => [id, { value: answer }])),
    };
  }

  scope() {
    return Object.fromEntries(Object.entries(this.#byRoot).map(([root, found]) => [root, valuesOf(found)]));
  }

  whyUnknown({ root, key }: NamedFinding): string | undefined {
    if (root === 'judge' && this.#judgeIsSilent !== undefined) return this.#judgeIsSilent;
    const found = this.#byRoot[root] ?? new Map<string, Finding>();
    if (key !== undefined) return found.get(key)?.unknown;
    return [...found.values()].find(({ unknown }) => unknown !== undefined)?.unknown;
  }

  /** A misspelt name would never be true, and its negation never false. */
  requireKnownName({ root, key }: NamedFinding): void {
    const found = this.#byRoot[root];
    if (key === undefined || !found || found.has(key)) return;
    if (root === 'judge' && this.#judgeIsSilent !== undefined) return;
    const names = [...found.keys()];
    const available = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
    throw new AssayError('CRITERION_UNUSABLE', `\`${root}.${key}\` names nothing that was evaluated: ${available}.`, {
      hint: didYouMean(key, names) ?? 'Give the evaluator this `id`, or use the name of one that the scenario has.',
    });
  }
}

function valuesOf(found: FindingsByName): Record<string, unknown> {
  return Object.fromEntries([...found].map(([name, { value }]) => [name, value]));
}

/** Evaluators with the same name are ambiguous: which of them is meant cannot be said. */
function byName(results: readonly EvaluatorResult[], read: (result: EvaluatorResult) => Finding): FindingsByName {
  const found = new Map<string, Finding>();
  for (const result of results) {
    const name = result.id ?? result.type;
    const unknown = `${name} is the name of several evaluators; give each an \`id\``;
    found.set(name, found.has(name) ? { value: undefined, unknown } : read(result));
  }
  return found;
}

function verdictOf({ type, state, reason }: EvaluatorResult): Finding {
  if (state === 'pass' || state === 'fail') return { value: state === 'pass' };
  return { value: undefined, unknown: `${type} could not be judged: ${reason}` };
}

function scoreOf(result: EvaluatorResult): Finding {
  const verdict = verdictOf(result);
  if (verdict.unknown !== undefined) return verdict;
  if (result.value !== undefined) return { value: result.value };
  return { value: undefined, unknown: `${result.type} gives no score` };
}
