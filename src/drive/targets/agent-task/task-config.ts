import { expandVariables } from '../../../shared/variables.ts';
import type { ProxiedServer } from '../../mcp/proxy/open-recording.ts';
import type { CliToolConfig } from './cli-tool-config.ts';

type ToolParts = 'binary' | 'commandPattern' | 'healthCheck' | 'reuse' | 'inputs' | 'mcpServers' | 'solution';

/** The CLI tool that a task is about. */
export type ToolUnderTest = Pick<CliToolConfig, 'binary' | 'commandPattern' | 'healthCheck'>;

/** What an agent is to do in a work directory of its own, and with what. */
export interface TaskConfig extends Omit<CliToolConfig, ToolParts> {
  /** Undefined where no CLI tool is under test. */
  readonly tool: ToolUnderTest | undefined;
  /** By the names that the agent gets to know; variables are expanded. */
  readonly mcpServers: Readonly<Record<string, ProxiedServer>>;
  /** Whether the MCP servers are what is under test: then nothing can be judged without them. */
  readonly judgesServers: boolean;
}

/** The task that is done with a CLI tool. */
export function cliToolTask(config: CliToolConfig, env: Readonly<Record<string, string | undefined>>): TaskConfig {
  const {
    binary,
    commandPattern,
    healthCheck,
    reuse: _reuse,
    inputs: _inputs,
    solution: _solution,
    mcpServers,
    ...task
  } = config;
  const servers = Object.entries(expandVariables(mcpServers, env)).map(([name, server]) => {
    const definition =
      'url' in server ? { transport: 'shttp' as const, ...server } : { transport: 'stdio' as const, ...server };
    return [name, { definition }] as const;
  });
  return {
    ...task,
    tool: { binary, commandPattern, healthCheck },
    mcpServers: Object.fromEntries(servers),
    judgesServers: false,
  };
}
