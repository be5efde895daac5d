import { join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { type ObservedCall, observedCalls } from '../../../domain/tools/tool-calls.ts';
import { eventsOf } from '../../../domain/trace.ts';
import { isRecord } from '../../../shared/json.ts';
import { promoteTrial } from '../promote/promote-trial.ts';
import { type RecordedTrial, recordedTrial, recordedTrials } from '../promote/recorded-trial.ts';
import { slugOf } from '../scenario-text.ts';
import { promptKey } from './existing-cases.ts';
import type { Generated, GenerateOptions } from './generate-cases.ts';
import type { ToolCoverage } from './generated-case.ts';

/** One case for each failure of recorded trials; failures with the same requests and the same reason are one. */
export async function casesOfTraces(options: GenerateOptions): Promise<Generated> {
  const { project, env, cwd, from, connector, binary, output } = options;
  const trials = (await recordedTrials(from, cwd, undefined)).map((found) => recordedTrial(found, project, env));
  const failed = trials.filter(({ record }) => record.outcome === 'fail');
  if (failed.length === 0) {
    throw new AssayError('NOTHING_TO_RUN', `None of the trials in ${from} has a recorded failure.`, {
      hint: 'Make a case of a single trace with `assay cases promote <trace> --criterion <text>`.',
    });
  }
  const distinct = [...new Map(failed.toReversed().map((trial) => [keyOf(trial), trial])).values()].toReversed();
  const files: string[] = [];
  for (const trial of distinct) {
    const name = `${slugOf(`${trial.record.scenario} ${trial.record.caseId}`)}-${files.length + 1}.yaml`;
    const request = { project, env, connector, binary, output: join(output, name), labels: ['generated'] };
    files.push((await promoteTrial(trial, request)).file);
  }
  return {
    kind: 'traces',
    files,
    cases: { failure: distinct.length },
    duplicates: failed.length - distinct.length,
    rejected: 0,
    costUsd: 0,
    coverage: coverageIn(trials, distinct),
    variables: [],
  };
}

function keyOf({ trace, record }: RecordedTrial): string {
  const sent = eventsOf(trace, 'message').filter(({ role }) => role === 'user');
  return JSON.stringify([sent.map(({ text }) => promptKey(text)), promptKey(record.reason)]);
}

/** Tools that the traces used, and how many of their arguments and errors are in the cases. */
function coverageIn(all: readonly RecordedTrial[], cases: readonly RecordedTrial[]): ToolCoverage[] {
  const calls = all.flatMap(callsIn);
  const kept = cases.flatMap(callsIn);
  return [...new Set(calls.map(({ tool }) => tool))].map((tool) => {
    const names = argumentsIn(calls, tool);
    const used = new Set(argumentsIn(kept, tool));
    const own = kept.filter((call) => call.tool === tool);
    return {
      tool,
      calls: own.length,
      prompts: cases.filter((trial) => callsIn(trial).some((call) => call.tool === tool)).length,
      argumentsUsed: names.filter((name) => used.has(name)).length,
      argumentsTotal: names.length,
      unusedArguments: names.filter((name) => !used.has(name)),
      boundaries: 0,
      errorPaths: own.filter(({ error }) => error !== undefined).length,
      note: own.length === 0 ? 'used only in trials without a failure' : null,
    };
  });
}

/** Calls of tools; an attempt that was refused is of none. */
function callsIn({ trace }: RecordedTrial): ObservedCall[] {
  return observedCalls(trace).filter(({ isRefused }) => !isRefused);
}

function argumentsIn(calls: readonly { readonly tool: string; readonly input: unknown }[], tool: string): string[] {
  const own = calls.filter((call) => call.tool === tool);
  return [...new Set(own.flatMap(({ input }) => (isRecord(input) ? Object.keys(input) : [])))];
}
