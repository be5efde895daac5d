import { CommandLine } from '../../kit/command-line.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { Page } from '../../kit/page.tsx';

/** Workers */
export function WorkersPage() {
  return (
    <Page title="Workers">
      <EmptyState title="In a terminal">
        <CommandLine command="assay workers" />
      </EmptyState>
    </Page>
  );
}
