import { createColors } from 'picocolors';
import type { TrialRecord } from '../domain/record.ts';
import type { Emit, RunEvent } from '../domain/run-event.ts';
import { trialTitle } from '../reporters/trial-text.ts';
import { formatDuration } from '../shared/durations.ts';
import { grouped } from '../shared/numbers.ts';
import { type CliContext, hasColor, isWatched } from './context.ts';

const redrawMs = 100;
const quietLineMs = 10_000;
const toldProblems = 20;

/** Tells on stderr how a run goes: a line that redraws itself on a terminal, now and then a line elsewhere. */
export function createProgress({ stderr, env }: CliContext): Emit {
  const colors = createColors(hasColor(stderr, env));
  const live = isWatched(stderr, env);
  const counts = { pass: 0, fail: 0, error: 0, skipped: 0 };
  let planned = 0;
  let already = 0;
  let began = 0;
  let drawnAt = 0;

  const status = (): string => {
    const done = counts.pass + counts.fail + counts.error;
    const elapsedMs = performance.now() - began;
    const rate = done / (elapsedMs / 1_000);
    const left = planned - already - done;
    const parts = [
      `${already + done}/${planned}`,
      colors.green(`✓ ${counts.pass}`),
      counts.fail > 0 ? colors.red(`✗ ${counts.fail}`) : '',
      counts.error > 0 ? colors.yellow(`! ${counts.error}`) : '',
      done > 0 ? colors.dim(`${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}/s`) : '',
      done > 0 && left > 0 ? colors.dim(`${formatDuration((left / rate) * 1_000)} left`) : '',
    ];
    return parts.filter((part) => part !== '').join('  ');
  };
  const clear = (): void => {
    if (live) stderr.write('\r\u001B[2K');
  };
  const draw = (): void => {
    const now = performance.now();
    if (now - drawnAt < (live ? redrawMs : quietLineMs)) return;
    drawnAt = now;
    if (live) stderr.write(`\r\u001B[2K  ${status()}`);
    else stderr.write(`  ${status()}\n`);
  };
  const tell = (record: TrialRecord): void => {
    if (counts.fail + counts.error > toldProblems) return;
    clear();
    const mark = record.outcome === 'fail' ? colors.red('✗') : colors.yellow('!');
    stderr.write(`  ${mark} ${trialTitle(record)}: ${record.reason}\n`);
    drawnAt = live ? 0 : drawnAt;
  };

  return (event: RunEvent) => {
    if (event.type === 'run-started') {
      planned = event.run.planned;
      already = event.alreadyStored;
      began = drawnAt = performance.now();
      if (already > 0) stderr.write(`  ${already} of ${planned} trials are stored already\n`);
    } else if (event.type === 'trial-finished') {
      counts[event.record.outcome]++;
      if (event.record.outcome !== 'pass') tell(event.record);
      draw();
    } else if (event.type === 'warning') {
      clear();
      stderr.write(`  ${colors.yellow('warning')}: ${event.message}\n`);
    } else if (event.type === 'run-finished') clear();
  };
}
