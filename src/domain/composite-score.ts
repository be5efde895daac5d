import type { TrialFindings } from './record.ts';
import type { CompositeWeights } from './scenario.ts';

type Layers = Pick<TrialFindings, 'gates' | 'judge' | 'interaction'>;

/** One figure for all layers, where a scenario asks for it: weighted over the layers that are there. */
export function compositeScore(layers: Layers, weights: CompositeWeights | undefined): number | null {
  if (!weights) return null;
  const { gates, judge, interaction } = layers;
  const parts = [
    { weight: weights.gates, score: gates.length > 0 ? share(gates) : undefined },
    { weight: weights.judge, score: judge?.score ?? undefined },
    { weight: weights.interaction, score: interaction?.first_try_success_rate },
  ].flatMap(({ weight, score }) => (score === undefined ? [] : [{ weight, score }]));
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  const score = parts.reduce((sum, part) => sum + part.weight * part.score, 0) / total;
  return Math.min(1, Math.max(0, score));
}

function share(gates: Layers['gates']): number {
  return gates.filter(({ passed }) => passed).length / gates.length;
}
