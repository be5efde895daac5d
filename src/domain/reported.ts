import type { Report } from './capability.ts';
import { observedCalls } from './tool-calls.ts';
import { eventsOf, type Trace } from './trace.ts';

/**
 * Whether silence means that there was nothing: what was seen was reported, and what was not seen is known not to have
 * happened only where somebody says that it would have been told.
 */
export function isReported(trace: Trace, report: Report): boolean {
  if (report === 'tool-calls' && observedCalls(trace).length > 0) return true;
  const isDeclared = ({ reports }: { readonly reports?: readonly Report[] | undefined }): boolean =>
    reports?.includes(report) ?? false;
  return (
    eventsOf(trace, 'turn').some(isDeclared) ||
    // Traces of earlier versions do not say it; all agents whose output is understood tell their calls.
    eventsOf(trace, 'agent-started').some((event) => event.reports === undefined || isDeclared(event)) ||
    eventsOf(trace, 'reports').some(({ what }) => what.includes(report)) ||
    // Calls to an MCP server are made or recorded by Assay itself.
    (report === 'tool-calls' && trace.some(({ type }) => type === 'mcp-server'))
  );
}
