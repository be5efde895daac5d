import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { scenarioIdentitySchema } from '../../domain/scenario-identity.ts';
import { variantSchema } from '../../domain/variant.ts';
import type { CollectedCase, CollectedSide, ExampleTrial } from '../../report/compare/collected-side.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
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
/** `assay.baseline.json`, as `assay baseline set` writes it. */
export const baselineFileSchema = z.object({
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
  cases: z.array(caseSchema),
});
type BaselineFile = z.infer<typeof baselineFileSchema>;

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
  await writeWhole(path, drawnOf(baselineFile(name, side), redact, baselineText), { isShared: true });
  return path;
}

/** One case per line makes changes of the baseline readable in a diff. */
function baselineText({ cases, ...head }: BaselineFile): string {
  const lines = cases.map((one) => `\n    ${JSON.stringify(one)}`).join(',');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "cases": [${lines}\n  ]\n}\n`;
}

/** Runs that the baselines of a folder were made of; a baseline that cannot be read is an error. */
export async function baselineRunIds(folder: string): Promise<ReadonlySet<string>> {
  const names = (await readdir(folder)).filter((name) => /^assay\.baseline(?:\.[\w.-]+)?\.json$/.test(name));
  const sides = names.map(async (name) => baselineSide(parsedOrNull(await readFile(join(folder, name), 'utf8')), name));
  return new Set((await Promise.all(sides)).map(({ run }) => run.runId));
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A baseline as one side of a comparison. */
export function baselineSide(document: unknown, file: string): CollectedSide {
  const parsed = baselineFileSchema.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AssayError('FILE_INVALID', `${file} is not a baseline: ${issue?.path.join('.')}: ${issue?.message}`, {
      hint: 'Recreate it with `assay baseline set <run>`.',
    });
  }
  return sideOf(parsed.data);
}

/** The names of the baselines among some file names. */
export function baselineNames(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const match = /^assay\.baseline(?:\.(.+))?\.json$/.exec(file);
    return match ? [match[1] ?? defaultBaseline] : [];
  });
}

/** The text of a baseline of the project; undefined when there is none of this name. */
export async function readBaselineText(folder: string, name: string): Promise<string | undefined> {
  if (!/^[\w.-]+$/.test(name)) return undefined;
  return readFile(baselinePath(folder, name), 'utf8').catch(() => undefined);
}

function baselineFile(name: string, side: CollectedSide): BaselineFile {
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
    cases: Array.from(side.cases, caseLine),
  };
}

function controlsOf({ controls }: CollectedSide): Pick<BaselineFile, 'controls'> {
  const controlled = [...controls].filter(([, kinds]) => [...kinds].some((kind) => kind !== ''));
  if (controlled.length === 0) return {};
  return { controls: Object.fromEntries(controlled.map(([scenario, kinds]) => [scenario, [...kinds].sort()])) };
}

function caseLine(one: CollectedCase): BaselineFile['cases'][number] {
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

function sideOf({ name, run, totals, agents, judges, toolPins, controls = {}, cases }: BaselineFile): CollectedSide {
  return {
    label: `${name} (${run.runId})`,
    run: {
      ...run,
      startedAt: Date.parse(run.startedAt),
      status: 'finished',
      origin: null,
    },
    totals,
    cases: cases.map((one) => ({
      ...one,
      figures: new Map(Object.entries(one.figures)),
      checks: new Map(Object.entries(one.checks)),
      success: exampleOf(one.success),
      failure: exampleOf(one.failure),
      unjudgedTrial: null,
    })),
    agents: new Map(Object.entries(agents)),
    judges: new Map(
      Object.entries(judges).map(([scenario, judged]) => [
        scenario,
        { ...judged, judges: new Set(judged.judges), rubrics: new Set(judged.rubrics) },
      ]),
    ),
    toolPins: new Map(Object.entries(toolPins)),
    controls: new Map(
      cases
        .filter(({ passed, failed }) => passed + failed > 0)
        .map(({ scenario }) => [scenario, new Set(controls[scenario] ?? [''])]),
    ),
    subcommands: new Map(),
    diagnosed: [],
    unusable: new Map(),
    missing: new Map(),
  };
}

function exampleOf(trialId: string | undefined): ExampleTrial | null {
  return trialId === undefined ? null : { trialId, reason: '' };
}
