import * as z from 'zod';
import { type CiRules, ciRulesSchema, passKSchema, quarantineSchema, type ScenarioCi } from '../../../domain/ci.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import { isRecord } from '../../../shared/json.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { type ParsedSource, valueAt } from '../../sources/parsed-source.ts';
import { orText } from './schema-parts.ts';

/** `20%` as a share; anything else stays as it is, and is refused by the schema. */
function shareOf(text: string): unknown {
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1];
  return percent === undefined ? text : Number(percent) / 100;
}

/** A day of TOML is not a text. */
function dayOf(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

const rulesSchema = lazySchema(() =>
  z.strictObject({
    ...ciRulesSchema.shape,
    passK: passKSchema.strict().optional().describe('lowest chance that all of k trials pass (pass^k)'),
    maxCostRise: orText(shareOf, z.number().min(0))
      .optional()
      .describe('with a baseline: allowed increase in mean cost per trial, such as 20%'),
    quarantine: z
      .strictObject({
        ...quarantineSchema.shape,
        until: z
          .preprocess(dayOf, quarantineSchema.shape.until)
          .describe('last day on which it does not count, such as 2027-01-31 (UTC)'),
      })
      .optional()
      .describe('set aside: it does not count until a date'),
  }),
);

/** `ci:` of a case. */
export const caseCiSchema = lazySchema(() => rulesSchema.optional().describe('how this case counts in CI'));

/** `ci:` of a scenario file. */
export const ciSectionSchema = lazySchema(() =>
  rulesSchema
    .extend({ cases: z.record(z.string(), rulesSchema).optional().describe('rules of single cases, by name') })
    .optional()
    .describe('how the results count in CI: role, limits and quarantine'),
);

/** The data of a file without `ci`: it changes no verdict of a trial, so it does not make another scenario. */
export function withoutCi(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { ci: _ci, ...others } = value;
  if (!Array.isArray(value.cases)) return others;
  return { ...others, cases: value.cases.map(withoutCi) };
}

/** The section of a file with the rules that stand beside its cases. */
export function withCaseRules(
  ci: ScenarioCi | undefined,
  cases: readonly { readonly caseId: string; readonly ci?: CiRules | undefined }[],
): ScenarioCi | undefined {
  const own = cases.flatMap(({ caseId, ci: rules }) => (rules ? [[caseId, rules] as const] : []));
  return own.length === 0 ? ci : { ...ci, cases: { ...ci?.cases, ...Object.fromEntries(own) } };
}

/** Problems and warnings of the rules of a scenario. */
export async function checkCi(
  scenario: Scenario,
  source: ParsedSource,
): Promise<{ readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }> {
  const { ci } = scenario;
  if (!ci) return { problems: [], warnings: [] };
  const { cases = {}, ...rules } = ci;
  const all = [rules, ...Object.values(cases)];
  return {
    problems: await unknownCases(scenario, source),
    warnings: [...tooFewRepeats(all, scenario, source), ...limitsWithoutEffect(all, source)],
  };
}

/** A rule for a case that does not exist would never apply. */
async function unknownCases(scenario: Scenario, source: ParsedSource): Promise<Problem[]> {
  const written = valueAt(source.value, ['ci', 'cases']);
  if (!isRecord(written)) return [];
  const missing = new Set(Object.keys(written));
  const names: string[] = [];
  for await (const { caseId } of scenario.cases()) {
    missing.delete(caseId);
    if (names.length < mostNames) names.push(caseId);
    if (missing.size === 0) return [];
  }
  return [...missing].map((name) => ({
    at: source.locateKey(['ci', 'cases'], name),
    message: `the scenario has no case "${name}"`,
    hint: suggestion(name, names),
  }));
}

/** Names among which a similar one is searched. */
const mostNames = 1_000;

function tooFewRepeats(rules: readonly CiRules[], { repeat }: Scenario, source: ParsedSource): Problem[] {
  const k = Math.max(0, ...rules.map(({ passK }) => passK?.k ?? 0));
  if (k <= repeat) return [];
  const message = `pass^${k} cannot be judged: each case runs ${repeat === 1 ? 'once' : `${repeat} times`}`;
  return [{ at: source.locate(['ci']), message, hint: `Set \`repeat: ${k}\` or more, or use --repeat ${k}.` }];
}

function limitsWithoutEffect(rules: readonly CiRules[], source: ParsedSource): Problem[] {
  const isUseless = rules.some(({ role, ...limits }) => role === 'capability' && hasLimit(limits));
  if (!isUseless) return [];
  const message = 'limits of a case with `role: capability` are reported, and never fail the build';
  return [{ at: source.locate(['ci']), message, hint: 'Use `role: regression` for limits that must hold.' }];
}

function hasLimit({ minPassRate, passK, maxCostRise }: CiRules): boolean {
  return minPassRate !== undefined || passK !== undefined || maxCostRise !== undefined;
}
