import { CommandLine } from '../../kit/command-line.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { Page } from '../../kit/page.tsx';

/** Review */
export function ReviewPage() {
  return (
    <Page title="Review">
      <EmptyState title="In a terminal">
        <CommandLine command="assay calibrate" />
      </EmptyState>
    </Page>
  );
}
