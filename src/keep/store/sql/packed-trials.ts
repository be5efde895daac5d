import type { FinishedTrial } from '../store.ts';
import { type Pack, packLines, packRawLimit } from './pack.ts';
import { findingsLine } from './trial-row.ts';

/** Trials of one run with their documents, ready to be stored. */
export interface PackedTrials {
  readonly trials: readonly FinishedTrial[];
  readonly findings: Pack;
  readonly traces: Pack;
}

/** Compresses the documents of trials; done before a transaction begins, so that nobody waits for it. */
export async function packTrials(trials: readonly FinishedTrial[]): Promise<PackedTrials[]> {
  const groups: Promise<PackedTrials>[] = [];
  let members: FinishedTrial[] = [];
  let findings: string[] = [];
  let traces: string[] = [];
  let rawSize = 0;
  const close = () => {
    if (members.length > 0) groups.push(packGroup(members, findings, traces));
    [members, findings, traces, rawSize] = [[], [], [], 0];
  };
  for (const trial of trials) {
    const findingsText = findingsLine(trial.record);
    const traceText = JSON.stringify(trial.trace);
    const size = findingsText.length + traceText.length;
    // A pack belongs to one run, so that removing a run removes no other run's documents.
    if (rawSize + size > packRawLimit || trial.record.runId !== members[0]?.record.runId) close();
    members.push(trial);
    findings.push(findingsText);
    traces.push(traceText);
    rawSize += size;
  }
  close();
  return Promise.all(groups);
}

async function packGroup(
  trials: readonly FinishedTrial[],
  findingLines: readonly string[],
  traceLines: readonly string[],
): Promise<PackedTrials> {
  const [findings, traces] = await Promise.all([packLines(findingLines), packLines(traceLines)]);
  return { trials, findings, traces };
}
