import type { CollectedSide } from './collected-side.ts';
import type { FigureDefinition } from './figure-definitions.ts';

/**
 * How long something takes depends on when it runs: the machine, the network and the model are busier at one time than at
 * another. Variants of one run take turns; runs do not.
 */
export function timeCaution(a: CollectedSide, b: CollectedSide): (definition: FigureDefinition) => string | null {
  const isOneAfterTheOther = a.run.runId !== b.run.runId;
  return ({ unit }) => (unit === 'ms' && isOneAfterTheOther ? 'run at different times' : null);
}
