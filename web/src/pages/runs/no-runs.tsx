import type { ReactNode } from 'react';
import { Button } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';

/** There are no runs, or none that were looked for. */
export function NoRuns({ icon, hasFilter, onClear }: { icon: ReactNode; hasFilter: boolean; onClear: () => void }) {
  if (hasFilter)
    return (
      <EmptyState icon={icon} title="No run is like that" action={<Button onClick={onClear}>Show all runs</Button>}>
        Search looks at the names of runs, their scenarios and their ids.
      </EmptyState>
    );
  return (
    <EmptyState icon={icon} title="Nothing has been run yet">
      <p className="mb-2">Start a run with the button above, or in a terminal:</p>
      <CommandLine command="assay run" />
    </EmptyState>
  );
}
