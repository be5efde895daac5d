import { cliToolTarget } from './agent-task/cli-tool-target.ts';
import { commandTarget } from './call/command-target.ts';
import { httpTarget } from './call/http-target.ts';
import { moduleTarget } from './call/module-target.ts';
import { mcpAgentWorkflowTarget } from './mcp/mcp-agent-workflow-target.ts';
import { mcpSuiteTarget } from './mcp/mcp-suite-target.ts';
import { mcpToolTarget } from './mcp/mcp-tool-target.ts';
import { mcpWorkflowTarget } from './mcp/mcp-workflow-target.ts';
import type { TargetKind } from './target.ts';

/** Every kind of target. */
export const targetKinds: readonly TargetKind[] = [
  moduleTarget,
  commandTarget,
  httpTarget,
  cliToolTarget,
  mcpAgentWorkflowTarget,
  mcpSuiteTarget,
  mcpToolTarget,
  mcpWorkflowTarget,
];
