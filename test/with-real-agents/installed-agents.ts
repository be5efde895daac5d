/** What these tests know of a real agent. */
interface KnownAgent {
  /** Its shell, as the model has to call it. */
  readonly shell: (command: string) => { readonly name: string; readonly input: Record<string, string | boolean> };
  /** The end of the address under which it reaches its model. */
  readonly basePath: '' | '/v1';
  /** Of which commands it tells itself how they ended. */
  readonly tellsExitCodes: 'of all' | 'of failures' | 'of none';
  readonly tellsUsage: boolean;
  /** Where the tools of an MCP server that it is handed show up. */
  readonly mcpTools: 'offered' | 'on-search' | 'nowhere';
  /** The command by which it speaks the Agent Client Protocol, for the model that is named. */
  readonly acp?: { readonly command: string; readonly model: string; readonly env: (url: string) => object };
}

/** A real agent that is installed for these tests. */
export interface InstalledAgent extends KnownAgent {
  readonly name: string;
  readonly version: string;
  /** The folder of its program; undefined where the config pins the version. */
  readonly bin?: string;
  /** The cache folder in which a pinned version lies. */
  readonly cache?: string;
}

/** The model that every agent is told to use. */
export const testModel = 'test-model';

const described = { description: 'use the tool' };
const usual = {
  basePath: '/v1',
  tellsExitCodes: 'of all',
  tellsUsage: true,
  mcpTools: 'offered',
} as const;
const shellCalled =
  (name: string, more: Record<string, string | boolean> = described): KnownAgent['shell'] =>
  (command) => ({ name, input: { command, ...more } });

const opencodeConfig = (url: string): object => ({
  autoupdate: false,
  permission: 'allow',
  provider: {
    local: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: 'any' },
      models: { [testModel]: { name: testModel } },
    },
  },
});

const knownAgents: Readonly<Record<string, KnownAgent>> = {
  'claude-code': { ...usual, shell: shellCalled('Bash'), basePath: '' },
  codex: { ...usual, shell: (cmd) => ({ name: 'exec_command', input: { cmd } }) },
  opencode: {
    ...usual,
    shell: shellCalled('bash'),
    acp: {
      command: 'opencode acp',
      model: `local/${testModel}`,
      env: (url) => ({
        OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url)),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      }),
    },
  },
  gemini: {
    ...usual,
    shell: shellCalled('run_shell_command'),
    basePath: '',
    tellsExitCodes: 'of none',
    acp: {
      command: `gemini --acp -m ${testModel}`,
      model: testModel,
      env: (url) => ({ GEMINI_API_KEY: 'any', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    },
  },
  qwen: {
    ...usual,
    shell: shellCalled('run_shell_command', { ...described, is_background: false }),
    tellsExitCodes: 'of none',
    mcpTools: 'on-search',
    acp: {
      command: 'qwen --acp',
      model: testModel,
      env: (url) => ({ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: testModel }),
    },
  },
  pi: { ...usual, shell: shellCalled('bash'), mcpTools: 'nowhere' },
  copilot: {
    ...usual,
    shell: shellCalled('bash'),
    acp: {
      command: 'copilot --acp',
      model: testModel,
      env: (url) => ({
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_API_KEY: 'any',
        COPILOT_MODEL: testModel,
        COPILOT_OFFLINE: 'true',
      }),
    },
  },
  kimi: { ...usual, shell: shellCalled('Bash'), tellsExitCodes: 'of failures', tellsUsage: false },
};

/** The agents that `npm run test:agents` has installed, in its order. */
export function installedAgents(): InstalledAgent[] {
  const told = process.env.ASSAY_TEST_AGENTS;
  if (told === undefined) throw new Error('Run these tests with `npm run test:agents`, which installs the agents.');
  const installed = JSON.parse(told) as Pick<InstalledAgent, 'name' | 'version' | 'bin' | 'cache'>[];
  return installed.map((agent) => {
    const known = knownAgents[agent.name];
    if (!known) throw new Error(`These tests know nothing of the agent ${agent.name}.`);
    return { ...agent, ...known };
  });
}

/** The environment in which Assay finds the agent. */
export function environmentWith({ bin, cache }: InstalledAgent): Record<string, string> {
  if (bin !== undefined) return { PATH: `${bin}:${process.env.PATH}` };
  return { PATH: String(process.env.PATH), ...(cache === undefined ? {} : { XDG_CACHE_HOME: cache }) };
}
