import type { Interaction } from '../../domain/interaction.ts';
import { firstOccurrences } from '../../score/interaction/figures.ts';
import type { ToolCommand } from '../../score/interaction/tool-command.ts';
import { mean } from '../../shared/stats/spread.ts';
import type { DiagnosedTrial } from './collected-side.ts';
import type { CausingCommand, DiagnosisFinding } from './comparison.ts';
import { type DiagnosisThresholds, diagnosisThresholds, type PatternName, patternFor } from './diagnosis-patterns.ts';
import { type ComparedValues, type FigureLevel, levelOf } from './figures.ts';
import { stuckSubcommands } from './stuck-subcommands.ts';

export interface DiagnosisFrame {
  readonly thresholds?: DiagnosisThresholds | undefined;
  /** Trials of the variants beside it; without them it stands alone. */
  readonly others?: readonly DiagnosedTrial[] | undefined;
  /** How many variants are diagnosed beside each other: the more are, the more one of them must show. */
  readonly variants?: number | undefined;
}

/** Tests for each pair of variants: errors, help, first tries, commands, repeated failures. */
const questions = 5;

/** How far a figure must lie beyond that of the other variants to be high beside them. */
const margins = { share: 0.1, help: 1, commandFactor: 1.5 };

/** Findings about one variant, in the order of the seed's table; none where there are too few commands. */
export function diagnose(trials: readonly DiagnosedTrial[], frame: DiagnosisFrame = {}): DiagnosisFinding[] {
  const { thresholds = diagnosisThresholds, others = [], variants = 2 } = frame;
  const used = trials.filter(({ interaction }) => interaction.total_commands > 0);
  if (used.length === 0 || totalOf(used, 'total_commands') < thresholds.minCommands) return [];
  const looks = questions * Math.max(1, variants - 1);
  const compared = others.filter(({ interaction }) => interaction.total_commands > 0);
  const figures = figuresOf(used, compared, thresholds, looks);
  const causes: Causes = (commandsOf) => trials.flatMap((trial) => causing(trial, commandsOf(trial)));
  const found = [
    ...errorAndHelp(figures, causes),
    ...stuckSubcommands(trials, others, thresholds.highRetries, looks).map(({ trial, commands, evidence, name }) =>
      finding('high-retry', evidence, causing(trial, commands), name),
    ),
    ...manyCommands(trials, compared, thresholds, looks),
    ...fineWork(figures, trials),
    ...lowFirstTry(figures, causes),
  ];
  const hasGuidance = trials.some(({ variant }) => (variant?.guidance ?? variant?.skills) !== undefined);
  return found.map((one) => ({ ...patternFor(one.pattern, hasGuidance), ...one }));
}

/** The figures that findings rest on: means for the reader, and levels by the bounds and by chance. */
interface VariantFigures {
  readonly errorRate: number;
  readonly help: number;
  readonly firstTry: number;
  readonly errorLevel: FigureLevel;
  readonly helpLevel: FigureLevel;
  readonly isFirstTryLow: boolean;
  /** Commands that repeat an earlier one of the same trial, and all commands. */
  readonly repeated: number;
  readonly commands: number;
}

type Causes = (commandsOf: (trial: DiagnosedTrial) => readonly ToolCommand[]) => CausingCommand[];

function causing({ trialId, repeat }: DiagnosedTrial, commands: readonly ToolCommand[]): CausingCommand[] {
  return commands.map((command) => ({ trialId, repeat, command }));
}

function totalOf(trials: readonly DiagnosedTrial[], figure: 'total_commands' | 'error_count' | 'retry_count'): number {
  return trials.reduce((sum, { interaction }) => sum + interaction[figure], 0);
}

function figuresOf(
  used: readonly DiagnosedTrial[],
  others: readonly DiagnosedTrial[],
  thresholds: DiagnosisThresholds,
  looks: number,
): VariantFigures {
  const valuesOf = (figure: (interaction: Interaction) => number): ComparedValues => ({
    own: used.map(({ interaction }) => figure(interaction)),
    others: others.map(({ interaction }) => figure(interaction)),
  });
  const errors = valuesOf((interaction) => interaction.error_rate);
  const help = valuesOf((interaction) => interaction.help_invocations);
  const missed = valuesOf((interaction) => 1 - interaction.first_try_success_rate);
  const { lowErrorRate, highErrorRate, lowHelp, highHelp, lowFirstTry, minErrors } = thresholds;
  const errorLevel = levelOf(errors, { low: lowErrorRate, high: highErrorRate, margin: margins.share }, looks);
  const missedBounds = { low: 0, high: 1 - lowFirstTry + Number.EPSILON, margin: margins.share };
  const commands = totalOf(used, 'total_commands');
  const repeated = totalOf(used, 'retry_count');
  const hasFewErrors = totalOf(used, 'error_count') < minErrors;
  // A command with an unknown end lowers the share too, but only errors and repeats can be acted on.
  const isExplained = !hasFewErrors || repeated >= (1 - lowFirstTry) * commands;
  return {
    errorRate: mean(errors.own),
    help: mean(help.own),
    firstTry: mean(used.map(({ interaction }) => interaction.first_try_success_rate)),
    errorLevel: errorLevel === 'high' && hasFewErrors ? 'between' : errorLevel,
    helpLevel: levelOf(help, { low: lowHelp, high: highHelp, margin: margins.help }, looks),
    isFirstTryLow: isExplained && levelOf(missed, missedBounds, looks) === 'high',
    repeated,
    commands,
  };
}

/** A finding without the words of its pattern. */
type Found = Pick<DiagnosisFinding, 'pattern' | 'subcommand' | 'evidence' | 'commands'>;

function finding(
  pattern: PatternName,
  evidence: string,
  commands: readonly CausingCommand[],
  subcommand?: string,
): Found {
  return { pattern, subcommand, evidence, commands };
}

function useText({ errorRate, help }: VariantFigures): string {
  return `error rate ${fixed(errorRate)}, --help ${fixed(help, 1)} times per trial`;
}

function errorAndHelp(figures: VariantFigures, causes: Causes): Found[] {
  const { errorLevel, helpLevel } = figures;
  const failed = ({ result }: ToolCommand): boolean => result === 'failed';
  const found = (pattern: PatternName, isConcerned: (command: ToolCommand) => boolean): Found[] => [
    finding(
      pattern,
      useText(figures),
      causes(({ commands }) => commands.filter(isConcerned)),
    ),
  ];
  if (errorLevel === 'high' && helpLevel === 'low') return found('high-error-low-help', failed);
  if (errorLevel === 'high' && helpLevel === 'high')
    return found('high-error-high-help', (command) => command.isHelp || failed(command));
  return errorLevel === 'low' && helpLevel === 'high' ? found('low-error-high-help', ({ isHelp }) => isHelp) : [];
}

function manyCommands(
  trials: readonly DiagnosedTrial[],
  others: readonly DiagnosedTrial[],
  { highCommands }: DiagnosisThresholds,
  looks: number,
): Found[] {
  const completed = trials.filter(isDone);
  const values = { own: completed.map(commandCount), others: others.filter(isDone).map(commandCount) };
  const usual = values.others.length === 0 ? highCommands : mean(values.others);
  const margin = usual * (margins.commandFactor - 1);
  if (levelOf(values, { low: 0, high: highCommands, margin }, looks) !== 'high') return [];
  const concerned = completed.flatMap((trial) => causing(trial, trial.commands));
  return [finding('many-commands', `${fixed(mean(values.own), 1)} commands per passed trial`, concerned)];
}

/** A trial that failed its gates, or was not judged, has not completed its task whatever the agent reported. */
function isDone({ interaction, outcome }: DiagnosedTrial): boolean {
  return interaction.completed === true && outcome === 'pass' && interaction.total_commands > 0;
}

function commandCount({ interaction }: DiagnosedTrial): number {
  return interaction.total_commands;
}

/** Good news only where every judged trial completed and passed. */
function fineWork(figures: VariantFigures, trials: readonly DiagnosedTrial[]): Found[] {
  const judged = trials.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  const isDoneAlways = judged.length > 0 && judged.every(isDone);
  const isFine = figures.errorLevel === 'low' && figures.helpLevel === 'low' && !figures.isFirstTryLow && isDoneAlways;
  return isFine ? [finding('low-error-low-help', useText(figures), [])] : [];
}

function lowFirstTry(figures: VariantFigures, causes: Causes): Found[] {
  if (!figures.isFirstTryLow) return [];
  const missed = causes(({ commands }) => {
    const firsts = new Set(firstOccurrences(commands));
    return commands.filter((command) => !firsts.has(command) || command.result === 'failed');
  });
  const repeats = `${figures.repeated} of ${figures.commands} commands repeat an earlier one`;
  return [finding('low-first-try', `first-try success rate ${fixed(figures.firstTry)}; ${repeats}`, missed)];
}

function fixed(value: number, digits = 2): string {
  return value.toFixed(digits);
}
