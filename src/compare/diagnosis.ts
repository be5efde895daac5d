import type { Interaction } from '../domain/interaction.ts';
import { firstOccurrences, retriesAfterFailure } from '../interaction/figures.ts';
import type { ToolCommand } from '../interaction/tool-command.ts';
import { mean } from '../stats/spread.ts';
import { type DiagnosisThresholds, diagnosisThresholds } from './diagnosis-thresholds.ts';
import { type DiagnosticPattern, diagnosticPatterns, type PatternName } from './diagnostic-patterns.ts';

/** A trial as the diagnosis sees it. */
export interface DiagnosedTrial {
  readonly trialId: string;
  readonly repeat: number;
  readonly interaction: Interaction;
  /** Of the trial, where its trace was read: the diagnosis then names those that caused it. */
  readonly commands: readonly ToolCommand[];
}

/** A command that a finding rests on. */
export interface CausingCommand {
  readonly trialId: string;
  readonly repeat: number;
  readonly command: ToolCommand;
}

/** One pattern that was found, with what it rests on. */
export interface DiagnosisFinding extends DiagnosticPattern {
  /** The subcommand concerned, where it is about one. */
  readonly subcommand: string | undefined;
  /** The numbers behind it, in words. */
  readonly evidence: string;
  readonly commands: readonly CausingCommand[];
}

/** What the trials of one variant show, in the order of the seed's table; nothing where there is too little to see. */
export function diagnose(
  trials: readonly DiagnosedTrial[],
  thresholds: DiagnosisThresholds = diagnosisThresholds,
): DiagnosisFinding[] {
  const used = trials.filter(({ interaction }) => interaction.total_commands > 0);
  const total = used.reduce((sum, { interaction }) => sum + interaction.total_commands, 0);
  if (used.length === 0 || total < thresholds.minCommands) return [];
  const figures = meansOf(used);
  const causes: Causes = (commandsOf) => trials.flatMap((trial) => causing(trial, commandsOf(trial)));
  return [
    ...errorAndHelp(figures, thresholds, causes),
    ...stuckSubcommands(trials, thresholds),
    ...manyCommands(trials, thresholds),
    ...fineWork(figures, thresholds),
    ...lowFirstTry(figures, thresholds, causes),
  ];
}

interface Means {
  readonly errorRate: number;
  readonly help: number;
  readonly firstTry: number;
}

type Causes = (commandsOf: (trial: DiagnosedTrial) => readonly ToolCommand[]) => CausingCommand[];

function causing({ trialId, repeat }: DiagnosedTrial, commands: readonly ToolCommand[]): CausingCommand[] {
  return commands.map((command) => ({ trialId, repeat, command }));
}

function meansOf(trials: readonly DiagnosedTrial[]): Means {
  const meanOf = (figure: (interaction: Interaction) => number): number =>
    mean(trials.map(({ interaction }) => figure(interaction)));
  return {
    errorRate: meanOf((interaction) => interaction.error_rate),
    help: meanOf((interaction) => interaction.help_invocations),
    firstTry: meanOf((interaction) => interaction.first_try_success_rate),
  };
}

function finding(
  pattern: PatternName,
  evidence: string,
  commands: readonly CausingCommand[],
  subcommand?: string,
): DiagnosisFinding {
  return { ...diagnosticPatterns[pattern], subcommand, evidence, commands };
}

function errorAndHelp(figures: Means, thresholds: DiagnosisThresholds, causes: Causes): DiagnosisFinding[] {
  const { errorRate, help } = figures;
  const isHighError = errorRate >= thresholds.highErrorRate;
  const isHighHelp = help >= thresholds.highHelp;
  const evidence = `error rate ${fixed(errorRate)}, help ${fixed(help, 1)} times per trial`;
  const failed = ({ result }: ToolCommand): boolean => result === 'failed';
  if (isHighError && help <= thresholds.lowHelp) {
    return [
      finding(
        'high-error-low-help',
        evidence,
        causes(({ commands }) => commands.filter(failed)),
      ),
    ];
  }
  if (isHighError && isHighHelp) {
    const concerned = causes(({ commands }) => commands.filter((command) => command.isHelp || failed(command)));
    return [finding('high-error-high-help', evidence, concerned)];
  }
  if (errorRate <= thresholds.lowErrorRate && isHighHelp) {
    return [
      finding(
        'low-error-high-help',
        evidence,
        causes(({ commands }) => commands.filter(({ isHelp }) => isHelp)),
      ),
    ];
  }
  return [];
}

/** Each subcommand once, with its worst trial. */
function stuckSubcommands(trials: readonly DiagnosedTrial[], { highRetries }: DiagnosisThresholds): DiagnosisFinding[] {
  const worst = new Map<string, { readonly trial: DiagnosedTrial; readonly retries: number }>();
  for (const trial of trials) {
    for (const [name, { retries_after_failure: retries }] of Object.entries(trial.interaction.subcommands)) {
      if (retries >= highRetries && retries > (worst.get(name)?.retries ?? 0)) worst.set(name, { trial, retries });
    }
  }
  return [...worst].map(([name, { trial, retries }]) => {
    const again = new Set(retriesAfterFailure(trial.commands));
    const isConcerned = (command: ToolCommand): boolean =>
      command.subcommand === name && (command.result === 'failed' || again.has(command));
    const evidence = `"${name}" was tried again ${retries} times directly after it had failed, in one trial`;
    return finding('high-retry', evidence, causing(trial, trial.commands.filter(isConcerned)), name);
  });
}

function manyCommands(trials: readonly DiagnosedTrial[], { highCommands }: DiagnosisThresholds): DiagnosisFinding[] {
  const completed = trials.filter(({ interaction }) => interaction.completed && interaction.total_commands > 0);
  if (completed.length === 0) return [];
  const commands = mean(completed.map(({ interaction }) => interaction.total_commands));
  if (commands < highCommands) return [];
  const concerned = completed.flatMap((trial) => causing(trial, trial.commands));
  return [finding('many-commands', `${fixed(commands, 1)} commands per completed trial`, concerned)];
}

function fineWork({ errorRate, help }: Means, { lowErrorRate, lowHelp }: DiagnosisThresholds): DiagnosisFinding[] {
  if (errorRate > lowErrorRate || help > lowHelp) return [];
  return [finding('low-error-low-help', `error rate ${fixed(errorRate)}, help ${fixed(help, 1)} times per trial`, [])];
}

/** Commands that are repeated, or end nobody knows how, lower the share too: without errors it says nothing. */
function lowFirstTry(figures: Means, thresholds: DiagnosisThresholds, causes: Causes): DiagnosisFinding[] {
  if (figures.firstTry >= thresholds.lowFirstTry || figures.errorRate <= thresholds.lowErrorRate) return [];
  const missed = causes(({ commands }) => firstOccurrences(commands).filter(({ result }) => result !== 'succeeded'));
  return [finding('low-first-try', `first-try success rate ${fixed(figures.firstTry)}`, missed)];
}

function fixed(value: number, digits = 2): string {
  return value.toFixed(digits);
}
