import { CommandLine } from '../../kit/command-line.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { Page } from '../../kit/page.tsx';

/** MCP */
export function McpPage() {
  return (
    <Page title="MCP">
      <EmptyState title="In a terminal">
        <CommandLine command="assay mcp-check" />
      </EmptyState>
    </Page>
  );
}
