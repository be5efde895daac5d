import { AssayError } from '../../domain/errors.ts';
import { suggestion } from '../../shared/suggest.ts';
import type { AgentKind, AgentSettings, OpenAgentStream } from './agent.ts';
import { setVariables } from './agent-environment.ts';
import { defineStreamAgent, fitsArgument } from './stream-agent.ts';
import { openAutoStream, streamFormats } from './stream-formats.ts';

/** Any program that the user names. */
export const command: AgentKind = {
  ...reading(openAutoStream),
  drive: (session) => reading(formatOf(session.settings)).drive(session),
};

/** The command kind for output of one format. */
function reading(openStream: OpenAgentStream): AgentKind {
  return defineStreamAgent({
    name: 'command',
    summary: 'any program: the prompt is its last argument, on its stdin, and in ASSAY_PROMPT',
    program: null,
    versionArguments: [],
    install: 'Set `command` of the agent in the config, and the environment variables that it needs under `env`.',
    inheritedVariables: [],
    keyVariables: [],
    reports: { work: 'unknown', usage: 'unknown' },
    modelApi: { api: null, defaultUrl: null, urlVariables: [], keyVariables: [] },

    launch(session) {
      const { settings, prompt, model } = session;
      if (settings.command === undefined) {
        throw new AssayError('CONFIG_INVALID', 'An agent of the kind "command" has no `command`.', {
          hint: 'Set `command` of the agent in the config.',
        });
      }
      const isArgument = fitsArgument(prompt);
      const env = setVariables({
        ASSAY_PROMPT: isArgument ? prompt : undefined,
        ASSAY_MODEL: model,
        ASSAY_BASE_URL: settings.baseUrl,
        ASSAY_API_KEY: settings.apiKey,
      });
      return { argv: [session.program, ...settings.args, ...(isArgument ? [prompt] : [])], env, stdin: prompt };
    },

    openStream,
  });
}

function formatOf({ format = 'auto' }: AgentSettings): OpenAgentStream {
  const formats = new Map<string, OpenAgentStream>([['auto', openAutoStream], ...Object.entries(streamFormats)]);
  const open = formats.get(format);
  if (open !== undefined) return open;
  throw new AssayError('CONFIG_INVALID', `Unknown output format "${format}".`, {
    hint: suggestion(format, [...formats.keys()]),
  });
}
