import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import type { Agents } from '../agents/agent.ts';
import { trialRecordSchema } from '../domain/record.ts';
import { traceEventSchema } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import type { TrialReuse } from '../engine/keeping.ts';
import { sha256 } from '../shared/ids.ts';
import { canonicalJson } from '../shared/json.ts';
import type { FinishedTrial } from '../store/store.ts';
import type { CliToolConfig } from '../targets/cli-tool/cli-tool-config.ts';
import { findProgram } from '../targets/cli-tool/find-program.ts';

const keptSchema = z.object({ record: trialRecordSchema, trace: z.array(traceEventSchema) });

interface CacheParts {
  readonly folder: string;
  readonly agents: Agents;
  /** Who judges a trial, because another judge may say something else. */
  judgesOf(trial: Trial): readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Keeps results of trials that passed, one file each, by everything that they depend on. */
export function trialCache(parts: CacheParts): TrialReuse {
  return {
    async find(trial) {
      if (!isCached(trial)) return undefined;
      const text = await readFile(await fileOf(trial, parts), 'utf8').catch(() => undefined);
      const kept = text === undefined ? undefined : keptSchema.safeParse(parseJson(text)).data;
      return kept && takenOver(trial, kept as FinishedTrial);
    },
    async keep(trial, finished) {
      if (!isCached(trial) || finished.record.outcome !== 'pass') return;
      const file = await fileOf(trial, parts);
      const unfinished = `${file}.${randomUUID()}.tmp`;
      await mkdir(parts.folder, { recursive: true });
      await writeFile(unfinished, JSON.stringify(finished));
      await rename(unfinished, file);
    },
  };
}

function isCached({ scenario }: Trial): boolean {
  return (scenario.target.config as CliToolConfig).isCached;
}

/** The result as that of the new trial: it cost nothing this time, and says where it comes from. */
function takenOver({ trialId, runId, ordinal }: Trial, { record, trace }: FinishedTrial): FinishedTrial {
  const cachedFrom = record.cachedFrom ?? record.trialId;
  return { record: { ...record, trialId, runId, ordinal, costUsd: 0, usage: null, cachedFrom }, trace };
}

async function fileOf(trial: Trial, { folder, agents, judgesOf, env }: CacheParts): Promise<string> {
  const { scenario, variant, repeat, case: testCase } = trial;
  const agent = await agents.find(variant.agent ?? '');
  const key = canonicalJson({
    scenario: scenario.contentHash,
    case: testCase.caseId,
    variant,
    repeat,
    agent: { kind: agent.kind.name, version: agent.version, settings: { ...agent.settings, apiKey: undefined } },
    script: agent.settings.script && (await fileHash(agent.settings.script)),
    program: await programHash(trial, env),
    judges: judgesOf(trial),
  });
  return join(folder, `${sha256(key)}.json`);
}

/** A tool that is installed by the trial itself is covered by the template and the setup. */
async function programHash({ scenario }: Trial, env: CacheParts['env']): Promise<string> {
  const { binary } = scenario.target.config as CliToolConfig;
  try {
    return await fileHash(findProgram(binary, { folders: [scenario.directory], path: env.PATH ?? '' }));
  } catch {
    return 'none';
  }
}

async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
