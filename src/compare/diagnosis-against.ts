import type { Interaction } from '../domain/interaction.ts';
import { mean } from '../stats/spread.ts';
import type { DiagnosedTrial } from './diagnosis.ts';
import { type DiagnosisThresholds, diagnosisThresholds } from './diagnosis-thresholds.ts';

/** By how much a side must differ from the other to count as high or low beside it. */
const margins = { share: 0.1, help: 1, commands: 1.5 };

/**
 * What is high or low for a side that is looked at beside another: what lies clearly beyond the other, even where it
 * would pass unnoticed alone. The usual bounds hold as well, and alone where the other side tells nothing.
 */
export function thresholdsAgainst(
  other: readonly DiagnosedTrial[],
  usual: DiagnosisThresholds = diagnosisThresholds,
): DiagnosisThresholds {
  const used = other.filter(({ interaction }) => interaction.total_commands > 0);
  if (used.length === 0) return usual;
  const meanOf = (figure: (interaction: Interaction) => number): number =>
    mean(used.map(({ interaction }) => figure(interaction)));
  const errorRate = meanOf((figures) => figures.error_rate);
  return {
    ...usual,
    highErrorRate: Math.max(
      Math.min(usual.highErrorRate, errorRate + margins.share),
      usual.lowErrorRate + margins.share / 2,
    ),
    highHelp: Math.max(
      Math.min(usual.highHelp, meanOf((figures) => figures.help_invocations) + margins.help),
      usual.lowHelp,
    ),
    lowFirstTry: Math.max(usual.lowFirstTry, meanOf((figures) => figures.first_try_success_rate) - margins.share),
    highCommands: Math.min(usual.highCommands, meanOf((figures) => figures.total_commands) * margins.commands),
  };
}
