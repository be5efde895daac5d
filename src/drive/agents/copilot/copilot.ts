import type { AgentMcpServer, AgentSession } from '../agent.ts';
import { writeHomeFile } from '../home-files.ts';
import { modelOf } from '../openai-server.ts';
import { setVariables } from '../set-variables.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { copilotSession } from './copilot-session.ts';
import { openCopilotStream } from './copilot-stream.ts';

const keyVariables = ['COPILOT_PROVIDER_API_KEY', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'];

/** The Copilot CLI of GitHub, with its own models or with any server that speaks as OpenAI's does. */
export const copilot = defineStreamAgent({
  name: 'copilot',
  summary: 'the Copilot CLI of GitHub, run with -p',
  program: 'copilot',
  versionArguments: ['--version'],
  oldestVersion: '1.0.0',
  install: 'npm install -g @github/copilot',
  inheritedVariables: [...keyVariables, 'COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_TYPE', 'COPILOT_MODEL'],
  keyVariables,
  reports: { work: 'live', usage: 'live' },

  async launch(session) {
    const { settings, prompt } = session;
    const own = ownServer(session);
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['--allow-all-tools', '--output-format', 'json', '--no-auto-update', '--disable-client-telemetry'],
      ...(session.model === undefined || own !== undefined ? [] : ['--model', session.model]),
      ...(await mcpArguments(session)),
      ...settings.args,
      // In one word, because a prompt that begins with a dash would be taken for an option of its own.
      ...(isArgument ? [`--prompt=${prompt}`] : []),
    ];
    return { argv, env: { ...own }, stdin: isArgument ? '' : prompt };
  },

  openStream: openCopilotStream,
  sessionFiles: copilotSession,
});

/** How it reaches a server that is not GitHub's; undefined when it is to use GitHub's. */
function ownServer(session: AgentSession): Record<string, string> | undefined {
  const { settings, env } = session;
  const baseUrl = settings.baseUrl ?? settings.env.COPILOT_PROVIDER_BASE_URL ?? env.COPILOT_PROVIDER_BASE_URL;
  if (baseUrl === undefined) return undefined;
  return setVariables({
    COPILOT_PROVIDER_BASE_URL: baseUrl,
    COPILOT_PROVIDER_TYPE: env.COPILOT_PROVIDER_TYPE ?? 'openai',
    COPILOT_PROVIDER_API_KEY: settings.apiKey,
    COPILOT_MODEL: session.model ?? env.COPILOT_MODEL ?? modelOf(session, 'copilot'),
    COPILOT_OFFLINE: 'true',
  });
}

async function mcpArguments({ mcpServers, home }: AgentSession): Promise<string[]> {
  if (Object.keys(mcpServers).length === 0) return [];
  const servers = Object.entries(mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  const file = await writeHomeFile(home, 'mcp.json', JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  return ['--additional-mcp-config', `@${file}`];
}

function mcpServer(server: AgentMcpServer): object {
  return { type: 'url' in server ? 'http' : 'local', ...server, tools: ['*'] };
}
