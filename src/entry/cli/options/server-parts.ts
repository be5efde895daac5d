import type { Command } from 'commander';
import type { ServerPart } from '../../../domain/mcp/findings.ts';

/** Which scenarios about MCP servers are wanted, as the command line says it; several flags add up. */
export interface ServerPartOptions {
  readonly toolHealthOnly?: boolean;
  readonly workflowsOnly?: boolean;
  readonly resourcesOnly?: boolean;
  readonly promptsOnly?: boolean;
  readonly samplingOnly?: boolean;
  readonly elicitationOnly?: boolean;
  readonly oauthOnly?: boolean;
}

const flags: readonly (readonly [key: keyof ServerPartOptions, part: ServerPart, flag: string, summary: string])[] = [
  ['toolHealthOnly', 'tool', '--tool-health-only', 'of MCP servers: only tests that call tools directly'],
  ['workflowsOnly', 'workflow', '--workflows-only', 'of MCP servers: only workflows'],
  ['resourcesOnly', 'resource', '--resources-only', 'of MCP servers: only resource suites'],
  ['promptsOnly', 'prompt', '--prompts-only', 'of MCP servers: only prompt suites'],
  ['samplingOnly', 'sampling', '--sampling-only', 'of MCP servers: only sampling suites'],
  ['elicitationOnly', 'elicitation', '--elicitation-only', 'of MCP servers: only elicitation suites'],
  ['oauthOnly', 'oauth2', '--oauth-only', 'of MCP servers: only OAuth suites'],
];

/** The flags, with the names that they had in earlier programs. */
export function addServerPartOptions(command: Command): void {
  for (const [, , flag, summary] of flags) command.option(flag, summary);
}

/** The requested parts; empty for all of them. */
export function serverPartsOf(options: ServerPartOptions): ServerPart[] {
  return flags.filter(([key]) => options[key]).map(([, part]) => part);
}
