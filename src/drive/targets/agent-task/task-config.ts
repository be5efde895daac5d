import * as z from 'zod';
import { browserSchema } from '../../../domain/browser.ts';
import { harnessSchema } from '../../../domain/harness.ts';
import { isolationTierSchema } from '../../../domain/isolation-tier.ts';
import type { Variant } from '../../../domain/variant.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { expandVariables } from '../../../shared/variables.ts';
import { oauthSettingsSchema } from '../../mcp/authorization/oauth-settings.ts';
import type { ProxiedServer } from '../../mcp/proxy/open-recording.ts';
import { chosenSurface, surfaceOfServer } from '../../mcp/surfaces/tool-surface.ts';
import { networkSchema } from '../../network/network-policy.ts';
import { containerKeys } from './container-config.ts';

type ToolParts =
  | 'binary'
  | 'binaries'
  | 'commandPattern'
  | 'healthCheck'
  | 'healthCheckAfter'
  | 'reuse'
  | 'inputs'
  | 'mcpServers'
  | 'browser'
  | 'subsets'
  | 'solution'
  | 'solutionFolder';

/** The CLI tool that a task is about. */
export type ToolUnderTest = Pick<CliToolConfig, 'binaries' | 'commandPattern' | 'healthCheck' | 'healthCheckAfter'> & {
  readonly binary: string;
};

/** The task of an agent in its own work directory, and the tools it has for it. */
export interface TaskConfig extends Omit<CliToolConfig, ToolParts> {
  /** Undefined where no CLI tool is under test. */
  readonly tool: ToolUnderTest | undefined;
  /** By the names that the agent gets to know; variables are expanded. */
  readonly mcpServers: Readonly<Record<string, ProxiedServer>>;
  /** Whether the MCP servers are what is under test: then nothing can be judged without them. */
  readonly judgesServers: boolean;
}

/** The task that is done with a CLI tool, under a variant. */
export function cliToolTask(
  config: CliToolConfig,
  { surface }: Pick<Variant, 'surface'>,
  env: Readonly<Record<string, string | undefined>>,
): TaskConfig {
  const {
    binary,
    binaries,
    commandPattern,
    healthCheck,
    healthCheckAfter,
    reuse: _reuse,
    inputs: _inputs,
    solution: _solution,
    solutionFolder: _solutionFolder,
    mcpServers,
    browser: _browser,
    subsets,
    ...task
  } = config;
  const chosen = chosenSurface(surface, subsets);
  const names = Object.keys(mcpServers);
  const servers = Object.entries(expandVariables(mcpServers, env)).map(([name, server]) => {
    const definition = 'url' in server ? remoteDefinition(server) : { transport: 'stdio' as const, ...server };
    const offered = chosen.kind === 'all' ? null : surfaceOfServer(chosen, name, names);
    return [name, { definition, surface: offered }] as const;
  });
  return {
    ...task,
    tool: binary === undefined ? undefined : { binary, binaries, commandPattern, healthCheck, healthCheckAfter },
    mcpServers: Object.fromEntries(servers),
    judgesServers: false,
  };
}

type RemoteServer = Extract<CliToolConfig['mcpServers'][string], { readonly url: string }>;

function remoteDefinition({ transport, ...server }: RemoteServer): ProxiedServer['definition'] {
  if (transport === undefined) return { transport: 'shttp', ...server };
  return { transport, reconnect: true, reconnectInterval: 5_000, maxReconnectAttempts: 10, ...server };
}

const variables = lazySchema(() => z.record(z.string(), z.string()));
const timeoutSecs = lazySchema(() => z.number().positive().max(86_400));
const folderInContainer = lazySchema(() =>
  z.strictObject({
    from: z.string().describe('absolute path on this machine'),
    to: z.string().startsWith('/').describe('absolute path in the container'),
  }),
);

/** An MCP server that the agent starts. */
export const startedServerSchema = lazySchema(() =>
  z.strictObject({
    command: z.string().min(1).describe('program that is started'),
    args: z.array(z.string()).default([]).describe('arguments of the program'),
    env: variables.default({}).describe('environment variables of the program'),
  }),
);

/** An MCP server that is reached over HTTP. */
export const remoteServerSchema = lazySchema(() =>
  z.strictObject({
    url: z.string().min(1).describe('address of the server'),
    headers: variables.default({}).describe('headers of every request'),
    oauth: oauthSettingsSchema()
      .optional()
      .describe('how tokens are got; a server that needs none or a login with `assay mcp login` needs no settings'),
  }),
);

/** The programs under test and whether they work. */
const toolKeys = () => ({
  binary: z.string().min(1).optional().describe('name or path of the program under test; absent where only skills are'),
  binaries: z.array(z.string().min(1)).default([]).describe('further programs under test, recorded like `binary`'),
  commandPattern: z
    .string()
    .optional()
    .describe('regular expression for its commands in a transcript; a group captures the subcommand'),
  healthCheck: z.string().optional().describe('shell command that must succeed before the agent starts'),
  healthCheckAfter: z
    .boolean()
    .optional()
    .describe('also run `healthCheck` after the agent ended; a failure makes the trial an `error`'),
  env: variables.default({}).describe('for the agent, the scripts and the gates; ${VAR} is expanded'),
});

/** The task of the agent, and the commands around it. */
const workKeys = () => ({
  prompt: z.string().describe('the task'),
  template: z.string().optional().describe('absolute path of the template folder; each trial works on a copy'),
  setup: z.array(z.string()).default([]).describe('shell commands that run before the agent starts'),
  postScripts: z
    .array(
      z.strictObject({
        command: z.string().describe('shell command that runs in the work directory'),
        timeoutSecs: timeoutSecs.default(30).describe('time limit in seconds'),
      }),
    )
    .default([])
    .describe('shell commands that run when the agent has ended'),
  graders: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'files and folders of the work directory that judge the work; by default those that gates and scripts run',
    ),
  proves: z
    .boolean()
    .optional()
    .describe('false: gates that hold before the agent starts are meant, and a pass is not an `error`'),
  graderNetwork: z
    .enum(['open', 'none'])
    .optional()
    .describe('network of gates and scripts after the agent; by default `none` where that of the agent is limited'),
  state: z
    .array(z.string().min(1))
    .optional()
    .describe('files and folders of HOME in which the tool keeps its data; gates and scripts get a copy'),
  guidance: z
    .record(z.string(), z.string())
    .default({})
    .describe('files or folders to copy over the template, by name; absolute paths'),
  skills: z
    .record(
      z.string(),
      z.array(
        z.strictObject({
          name: z.string().describe('as SKILL.md has it'),
          folder: z.string().describe('absolute path'),
        }),
      ),
    )
    .default({})
    .describe('skills that the agent gets, by the name of the variant'),
  solution: z
    .string()
    .optional()
    .describe('shell command that does the task; `assay validate --prove` checks the gates with it'),
  maxTurns: z.int().min(1).optional().describe('most turns of the agent'),
  maxTokens: z.int().min(1).optional().describe('most tokens of one trial, where the gateway counts them'),
  maxUsd: z.number().min(0).optional().describe('spending limit of one trial, in US dollars'),
  reuse: z
    .boolean()
    .optional()
    .describe('true: reuse an unchanged trial of an earlier run; false: always run; default: see --reuse'),
  inputs: z
    .array(z.string().min(1))
    .default([])
    .describe('files, folders or patterns that the tool depends on; by default its folder'),
});

/** How the agent is set up. */
const harnessKeys = () => ({
  harness: z
    .record(z.string(), harnessSchema)
    .optional()
    .describe('how the agent is set up, by the name of the variant; files with data were read'),
});

/** Files of single cases. */
const caseKeys = () => ({
  caseFiles: z
    .record(
      z.string(),
      z.array(
        z.strictObject({
          from: z.string().describe('absolute path of a file or folder'),
          to: z.string().describe('its path in the work directory'),
        }),
      ),
    )
    .optional()
    .describe('files that the work directory has beside the template, by case'),
});

/** Where the agent works and what it can reach. */
const surroundingsKeys = () => ({
  isolation: isolationTierSchema
    .or(z.literal('auto'))
    .default('auto')
    .describe('isolation of the agent from the machine; `auto`: the strongest that works'),
  image: z.string().min(1).optional().describe('image of the container, for `isolation: container`'),
  dockerfile: z.string().min(1).optional().describe('Dockerfile from which the image is built instead'),
  imageFolder: z
    .union([z.boolean(), z.string().startsWith('/')])
    .optional()
    .describe(
      'where agent and gates start instead of the work directory: `true` for the folder of the image, or a path',
    ),
  stagedFolders: z
    .array(folderInContainer)
    .optional()
    .describe('folders that the container gets when the agent has ended, read-only'),
  mounts: z.array(folderInContainer).optional().describe('folders that the agent finds in the container, read-only'),
  solutionFolder: folderInContainer.optional().describe('the files of the solution, which only the solution finds'),
  buildTimeoutSecs: timeoutSecs.optional().describe('time limit for building the image, in seconds'),
  logsFolder: z
    .string()
    .startsWith('/')
    .optional()
    .describe('folder of the container that is kept with the files of the trial'),
  unsupported: z
    .array(z.string())
    .optional()
    .describe('parts of the task that Assay does not have; its trials end as errors before they start'),
  cpus: z.number().positive().optional().describe('most processors of the container'),
  memoryMb: z.int().positive().optional().describe('most memory of the container, in megabytes'),
  network: networkSchema
    .optional()
    .describe(
      'what the agent can reach: `open`, `model-only`, `none` or `{ allow: [hosts] }`; by default `network` of the config',
    ),
  mcpServers: z
    .record(
      z.string(),
      z.union([startedServerSchema, remoteServerSchema.extend({ transport: z.literal('sse').optional() })]),
    )
    .default({})
    .describe('MCP servers of the agent, by name'),
  browser: browserSchema.optional().describe('browser of the agent: a new one for each trial'),
  subsets: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('named sets of tools, as `server/tool`, by the `surface` of the variant'),
});

/** A CLI tool and the task that an agent does with it; what paths mean has been settled by the file format. */
export const cliToolConfigSchema = lazySchema(() =>
  z.strictObject({
    ...toolKeys(),
    ...workKeys(),
    ...harnessKeys(),
    ...caseKeys(),
    ...surroundingsKeys(),
    ...containerKeys(),
  }),
);
export type CliToolConfig = z.output<typeof cliToolConfigSchema>;
