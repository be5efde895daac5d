import type { TrialRecord } from '../../domain/record.ts';
import type { Emit } from '../../domain/run.ts';
import { formatDuration } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';
import { trialTitle } from '../presentation/trial-text.ts';

/** Logs to stderr which trials start, and every evaluator's answer when they finish. */
export function debugLog(write: (line: string) => void): Emit {
  const print = (text: string): void => write(`  debug: ${printable(text)}\n`);
  return (event) => {
    if (event.type === 'run-started') print(`${event.run.runId} with ${event.concurrency} trials at a time`);
    else if (event.type === 'trial-started') print(`${event.scenario} › ${event.caseId} begins (${event.trialId})`);
    else if (event.type === 'trial-finished') for (const line of finishedLines(event.record)) print(line);
  };
}

function finishedLines(record: TrialRecord): string[] {
  const { outcome, reason, durationMs, evaluatorResults, toolHealth, workflow } = record;
  return [
    `${trialTitle(record)}: ${outcome} in ${formatDuration(durationMs)}: ${reason}`,
    ...toolHealth.map((entry) => `  ${entry.state} ${entry.testName} (${entry.toolName}): ${entry.details}`),
    ...workflow.map(({ metric, score, details }) => `  ${metric} ${score.toFixed(2)}: ${details}`),
    ...evaluatorResults.map(({ type, state, reason: why }) => `  ${type} ${state}: ${why}`),
  ];
}
