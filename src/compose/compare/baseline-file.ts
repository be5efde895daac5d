import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { scenarioIdentitySchema } from '../../domain/scenario-identity.ts';
import { variantSchema } from '../../domain/variant.ts';
import { entryOf } from '../../report/compare/case-numbers.ts';
import { CaseTable } from '../../report/compare/case-table.ts';
import type { CollectedCase, CollectedSide } from '../../report/compare/collected-side.ts';
import { canonicalJson } from '../../shared/json.ts';
import { writePieces } from '../../shared/redacted-files.ts';
import type { Redacted } from '../../shared/redaction/redacted.ts';
import { drawnOf, type Redact } from '../../shared/redaction/redaction.ts';

const count = z.int().min(0);
const caseSchema = z.object({
  scenario: z.string(),
  caseId: z.string(),
  variant: variantSchema,
  cluster: z.string().optional(),
  passed: count,
  failed: count,
  unjudged: count,
  success: z.string().optional(),
  failure: z.string().optional(),
  figures: z.record(z.string(), z.array(z.number())),
  checks: z.record(z.string(), z.object({ passed: count, failed: count })),
});
type BaselineCase = z.infer<typeof caseSchema>;

const headSchema = z.object({
  schema: z.literal('assay.baseline/1'),
  name: z.string(),
  run: z.object({
    runId: z.string(),
    startedAt: z.iso.datetime(),
    planned: count,
    assayVersion: z.string().nullable(),
    scenarios: z
      .array(z.object({ name: z.string(), contentHash: z.string(), identity: scenarioIdentitySchema.optional() }))
      .nullable(),
  }),
  totals: z.object({
    trials: count,
    passed: count,
    failed: count,
    unjudged: count,
    cached: count,
    costUsd: z.number().nullable(),
    tried: z.object({ trials: count, costUsd: z.number().nullable(), durationMs: z.number().nullable() }),
  }),
  agents: z.record(
    z.string(),
    z.object({
      versions: z.array(z.string()),
      models: z.array(z.string()),
      views: z.record(z.string(), z.array(z.string())).default({}),
    }),
  ),
  judges: z.record(
    z.string(),
    z.object({ judges: z.array(z.string()), rubrics: z.array(z.string()), passedUnjudged: count }),
  ),
  toolPins: z.record(z.string(), z.record(z.string(), z.string())),
  /** Of scenarios whose tools were controlled; all others had real tools. */
  controls: z.record(z.string(), z.array(z.string()).min(1)).optional(),
});
type BaselineHead = z.infer<typeof headSchema>;

/** `assay.baseline.json`, as `assay baseline set` writes it. */
export const baselineFileSchema = headSchema.extend({ cases: z.array(caseSchema) });

/** Name of a baseline that is saved without one. */
const defaultBaseline = 'default';

/** Path of a baseline's file, which lies beside the config and is meant to be committed. */
function baselinePath(folder: string, name: string): string {
  return join(folder, name === defaultBaseline ? 'assay.baseline.json' : `assay.baseline.${name}.json`);
}

/** Saves a run as a baseline and returns the path of its file. */
export async function writeBaseline(
  folder: string,
  name: string,
  side: CollectedSide,
  redact: Redact,
): Promise<string> {
  const path = baselinePath(folder, name);
  await writePieces(path, baselinePieces(name, side, redact), { isShared: true });
  return path;
}

const casesPerPiece = 1_000;

/** One case per line makes changes of the baseline readable in a diff, and lets it be read case by case. */
async function* baselinePieces(name: string, side: CollectedSide, redact: Redact): AsyncGenerator<Redacted, void> {
  yield drawnOf(headOf(name, side), redact, (head) => `${JSON.stringify(head, null, 2).slice(0, -2)},\n${casesBegin}`);
  const { cases } = side;
  for (let start = 0; start < cases.length; start += casesPerPiece) {
    const count = Math.min(casesPerPiece, cases.length - start);
    const lines = Array.from({ length: count }, (_, index) => caseLine(cases.at(start + index) as CollectedCase));
    const isLast = start + count === cases.length;
    yield drawnOf(
      lines,
      redact,
      (clean) => `\n${clean.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}${isLast ? '' : ','}`,
    );
  }
  yield drawnOf('', redact, () => `\n${casesEnd}\n}\n`);
}

const casesBegin = '  "cases": [';
const casesEnd = '  ]';

/** Runs that the baselines of a folder were made of; a baseline that cannot be read is an error. */
export async function baselineRunIds(folder: string): Promise<ReadonlySet<string>> {
  const sides = baselineNames(await readdir(folder)).map((name) => readBaseline(folder, name));
  return new Set((await Promise.all(sides)).flatMap((side) => side?.run.runId ?? []));
}

/** A baseline as one side of a comparison. */
export function baselineSide(document: unknown, file: string): CollectedSide {
  const parsed = baselineFileSchema.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw noBaseline(file, `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const cases = new BaselineCases();
  for (const one of parsed.data.cases) cases.add(one);
  return sideOf(parsed.data, cases.table);
}

function parsed(text: string, refuse: (why: string) => AssayError): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}

function noBaseline(file: string, why: string): AssayError {
  return new AssayError('FILE_INVALID', `${file} is not a baseline: ${why}`, {
    hint: 'Recreate it with `assay baseline set <run>`.',
  });
}

/** The names of the baselines among some file names. */
export function baselineNames(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const match = /^assay\.baseline(?:\.(.+))?\.json$/.exec(file);
    return match ? [match[1] ?? defaultBaseline] : [];
  });
}

/** A baseline of the project; undefined when there is none of this name. */
export async function readBaseline(folder: string, name: string): Promise<CollectedSide | undefined> {
  if (!/^[\w.-]+$/.test(name)) return undefined;
  const path = baselinePath(folder, name);
  if (!(await isFile(path))) return undefined;
  return (
    (await readCaseByCase(path)) ??
    baselineSide(
      parsed(await readFile(path, 'utf8'), (why) => noBaseline(basename(path), why)),
      basename(path),
    )
  );
}

/**
 * Cases one after the other, as they were written: all of them as one document take many times the memory of their columns.
 * Undefined for a file that was formatted in another way, or is not a baseline.
 */
async function readCaseByCase(path: string): Promise<CollectedSide | undefined> {
  const cases = new BaselineCases();
  let head = '';
  let part: 'head' | 'cases' | 'end' = 'head';
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (part === 'cases') {
      if (line === casesEnd) part = 'end';
      else if (!addCase(cases, parsedOrNull(line.replace(/,$/, '')))) return undefined;
    } else if (line === casesBegin) part = 'cases';
    else head += line;
  }
  const parsed = headSchema.safeParse(parsedOrNull(head.replace(/,\}$/, '}')));
  return part === 'end' && parsed.success ? sideOf(parsed.data, cases.table) : undefined;
}

function addCase(cases: BaselineCases, value: unknown): boolean {
  const { success, data } = caseSchema.safeParse(value);
  if (success) cases.add(data);
  return success;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The content of a file that has to be JSON. */
export function parsedFile(text: string, file: string): unknown {
  const hint = 'Name a file of `assay run --json`, a baseline, or a stored run.';
  return parsed(text, (why) => new AssayError('FILE_INVALID', `${file} is not JSON: ${why}`, { hint }));
}

function headOf(name: string, side: CollectedSide): BaselineHead {
  const { runId, startedAt, planned, assayVersion, scenarios } = side.run;
  const hashes =
    scenarios?.map(({ name: scenario, contentHash, identity }) => ({
      name: scenario,
      contentHash,
      ...(identity && { identity }),
    })) ?? null;
  return {
    schema: 'assay.baseline/1',
    name,
    run: { runId, startedAt: new Date(startedAt).toISOString(), planned, assayVersion, scenarios: hashes },
    totals: side.totals,
    agents: Object.fromEntries(
      [...side.agents].map(([agent, { versions, models, views }]) => [
        agent,
        {
          versions: [...versions],
          models: [...models],
          views: Object.fromEntries(Object.entries(views).map(([scenario, parts]) => [scenario, [...parts]])),
        },
      ]),
    ),
    judges: Object.fromEntries(
      [...side.judges].map(([scenario, { judges, rubrics, passedUnjudged }]) => [
        scenario,
        { judges: [...judges], rubrics: [...rubrics], passedUnjudged },
      ]),
    ),
    toolPins: Object.fromEntries(side.toolPins),
    ...controlsOf(side),
  };
}

function controlsOf({ controls }: CollectedSide): Pick<BaselineHead, 'controls'> {
  const controlled = [...controls].filter(([, kinds]) => [...kinds].some((kind) => kind !== ''));
  if (controlled.length === 0) return {};
  return { controls: Object.fromEntries(controlled.map(([scenario, kinds]) => [scenario, [...kinds].sort()])) };
}

function caseLine(one: CollectedCase): BaselineCase {
  const { scenario, caseId, variant, cluster, passed, failed, unjudged, figures, checks, success, failure } = one;
  return {
    ...{ scenario, caseId, variant, passed, failed, unjudged },
    ...(cluster !== undefined && { cluster }),
    ...(success && { success: success.trialId }),
    ...(failure && { failure: failure.trialId }),
    figures: Object.fromEntries(Array.from(figures, ([name, values]) => [name, [...values]])),
    checks: Object.fromEntries(checks),
  };
}

/** Cases of a baseline in the columns of a side. */
class BaselineCases {
  readonly table = new CaseTable();
  readonly #groups = new Map<string, number>();

  add(one: BaselineCase): void {
    const { scenario, caseId, variant, cluster, passed, failed, unjudged, success, failure, figures, checks } = one;
    const { table } = this;
    const group = entryOf(this.#groups, canonicalJson([scenario, variant]), () =>
      table.addGroup({ scenario, variant }),
    );
    const index = table.caseOf(group, caseId, cluster);
    table.count(index, 'passed', passed);
    table.count(index, 'failed', failed);
    table.count(index, 'unjudged', unjudged);
    if (success !== undefined) table.addExample(index, 'passed', { trialId: success, reason: '' });
    if (failure !== undefined) table.addExample(index, 'failed', { trialId: failure, reason: '' });
    for (const [name, values] of Object.entries(figures))
      for (const value of values) table.numbers.addValue(index, name, value);
    for (const [name, tally] of Object.entries(checks)) table.numbers.addCheck(index, name, tally);
  }
}

function sideOf(head: BaselineHead, cases: CaseTable): CollectedSide {
  const { name, run, totals, agents, judges, toolPins, controls = {} } = head;
  const judgedScenarios = new Set<string>();
  for (const { scenario, passed, failed } of cases) if (passed + failed > 0) judgedScenarios.add(scenario);
  return {
    label: `${name} (${run.runId})`,
    run: {
      ...run,
      startedAt: Date.parse(run.startedAt),
      status: 'finished',
      origin: null,
    },
    totals,
    cases,
    lacksVerdicts: true,
    agents: new Map(Object.entries(agents)),
    judges: new Map(
      Object.entries(judges).map(([scenario, judged]) => [
        scenario,
        { ...judged, judges: new Set(judged.judges), rubrics: new Set(judged.rubrics) },
      ]),
    ),
    toolPins: new Map(Object.entries(toolPins)),
    controls: new Map(Array.from(judgedScenarios, (scenario) => [scenario, new Set(controls[scenario] ?? [''])])),
    subcommands: new Map(),
    diagnosed: [],
    unusable: new Map(),
    missing: new Map(),
  };
}
