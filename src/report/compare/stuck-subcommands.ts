import type { ToolCommand } from '../../score/interaction/tool-command.ts';
import { counted } from '../../shared/format.ts';
import type { DiagnosedTrial } from './collected-side.ts';
import { isDifferent } from './figures.ts';

/** A subcommand that failed repeatedly, with the trial that shows it best. */
export interface StuckSubcommand {
  readonly name: string;
  readonly trial: DiagnosedTrial;
  readonly commands: readonly ToolCommand[];
  readonly evidence: string;
}

/**
 * Subcommands that failed again and again in a trial before they succeeded, if they ever did. An error that the next
 * call corrects is not one of them: its message did help. Beside other variants, one is only named where the trials
 * differ by more than chance explains, or where it happens in both.
 */
export function stuckSubcommands(
  trials: readonly DiagnosedTrial[],
  others: readonly DiagnosedTrial[],
  highRetries: number,
  looks: number,
): StuckSubcommand[] {
  const own = trials.map((trial) => failuresAgain(trial.commands));
  const beside = others.filter(({ commands }) => commands.length > 0).map(({ commands }) => failuresAgain(commands));
  const names = new Set(own.flatMap((failures) => [...failures.keys()]));
  return [...names].flatMap((name): StuckSubcommand[] => {
    const counts = own.map((failures) => failures.get(name) ?? 0);
    const most = Math.max(...counts);
    const trial = trials[counts.indexOf(most)];
    if (most < highRetries || !trial) return [];
    const isStuck = (count: number): number => Number(count >= highRetries);
    const values = {
      own: counts.map(isStuck),
      others: beside.map((failures) => isStuck(failures.get(name) ?? 0)),
    };
    if (others.length > 0 && !values.others.includes(1) && !isDifferent(values, looks)) return [];
    const stuck = values.own.filter((value) => value === 1).length;
    return [
      {
        name,
        trial,
        commands: trial.commands.filter(({ subcommand, result }) => subcommand === name && result === 'failed'),
        evidence: `"${name}" failed ${most + 1} times in a row; this happened in ${stuck} of ${counted(trials.length, 'trial')}`,
      },
    ];
  });
}

/** Of each subcommand, the most failures that followed a failure of it without a success in between. */
function failuresAgain(commands: readonly ToolCommand[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  const streaks = new Map<string, number>();
  for (const { subcommand, isHelp, result } of commands) {
    if (subcommand === undefined || isHelp) continue;
    const streak = result === 'failed' ? (streaks.get(subcommand) ?? 0) + 1 : 0;
    streaks.set(subcommand, streak);
    if (streak > 1) most.set(subcommand, Math.max(most.get(subcommand) ?? 0, streak - 1));
  }
  return most;
}
