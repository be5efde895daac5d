import { createColors } from 'picocolors';
import type { Outcome } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Emit, RunEvent } from '../../domain/run.ts';
import { lookLine } from '../../report/presentation/experiment-text.ts';
import { trialTitle } from '../../report/presentation/trial-text.ts';
import { formatDuration, grouped } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';
import { type CliContext, hasColor, isWatched } from './context.ts';

type Colors = ReturnType<typeof createColors>;

const redrawMs = 100;
const quietLineMs = 10_000;
const mostProblems = 20;
const clearLine = '\r\u001B[2K';

interface Count {
  planned: number;
  alreadyStored: number;
  beganAt: number;
  readonly outcomes: Record<Outcome, number>;
}

/** Reports progress on stderr: one line that is redrawn on a terminal, a line now and then elsewhere. */
export function createProgress({ stderr, env }: CliContext): Emit {
  const colors = createColors(hasColor(stderr, env));
  const live = isWatched(stderr, env);
  const outcomes = { pass: 0, fail: 0, error: 0, skipped: 0 };
  const count: Count = { planned: 0, alreadyStored: 0, beganAt: 0, outcomes };
  let drawnAt = 0;

  const print = (line: string): void => void stderr.write(`${live ? clearLine : ''}  ${line}\n`);
  const draw = (): void => {
    const now = performance.now();
    if (now - drawnAt < (live ? redrawMs : quietLineMs)) return;
    drawnAt = now;
    if (live) stderr.write(`${clearLine}  ${statusText(count, now, colors)}`);
    else print(statusText(count, now, colors));
  };
  const report = (record: TrialRecord): void => {
    if (outcomes.fail + outcomes.error > mostProblems) return;
    print(problemText(record, colors));
    if (live) drawnAt = 0;
  };

  return (event: RunEvent) => {
    if (event.type === 'run-started') {
      count.planned = event.run.planned;
      count.alreadyStored = event.alreadyStored;
      count.beganAt = drawnAt = performance.now();
      if (count.alreadyStored > 0) print(`${count.alreadyStored} of ${count.planned} trials are stored already`);
    } else if (event.type === 'trial-finished') {
      outcomes[event.record.outcome]++;
      if (event.record.outcome !== 'pass') report(event.record);
      draw();
    } else if (event.type === 'round-started') {
      count.planned = event.planned;
      if (event.look) print(lookLine(event.look, event.rounds, event.reference));
    } else if (event.type === 'trials-requeued') {
      outcomes.error -= Math.min(event.count, outcomes.error);
      print(`${event.count} trials that could not be judged run again`);
    } else if (event.type === 'run-changed') print(event.message);
    else if (event.type === 'warning') print(`${colors.yellow('warning')}: ${event.message}`);
    else if (event.type === 'run-finished' && live) stderr.write(clearLine);
  };
}

function statusText({ planned, alreadyStored, beganAt, outcomes }: Count, now: number, colors: Colors): string {
  const done = outcomes.pass + outcomes.fail + outcomes.error;
  const left = planned - alreadyStored - done;
  const rate = done / ((now - beganAt) / 1_000);
  const parts = [
    `${alreadyStored + done}/${planned}`,
    colors.green(`✓ ${outcomes.pass}`),
    outcomes.fail > 0 ? colors.red(`✗ ${outcomes.fail}`) : '',
    outcomes.error > 0 ? colors.yellow(`! ${outcomes.error}`) : '',
    done > 0 ? colors.dim(`${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}/s`) : '',
    done > 0 && left > 0 ? colors.dim(`${formatDuration((left / rate) * 1_000)} left`) : '',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function problemText(record: TrialRecord, colors: Colors): string {
  const mark = record.outcome === 'fail' ? colors.red('✗') : colors.yellow('!');
  return `${mark} ${printable(trialTitle(record))}: ${printable(record.reason)}`;
}
