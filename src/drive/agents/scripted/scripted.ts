import { AssayError } from '../../../domain/errors.ts';
import type { AgentKind } from '../agent.ts';
import { followScript } from './follow-script.ts';

/** An agent without a model, which follows a script. */
export const scripted: AgentKind = {
  name: 'scripted',
  summary: 'follows a script of shell commands, without a model',
  program: null,
  versionArguments: [],
  install: 'nothing to install; give it a `script` in the config',
  inheritedVariables: [],
  keyVariables: [],
  reports: { work: 'live', usage: 'at-end' },
  isScripted: true,

  async drive(session) {
    const { script } = session.settings;
    if (script === undefined) {
      throw new AssayError('CONFIG_INVALID', 'a scripted agent needs a `script`', {
        hint: 'Name a YAML file with `steps` under the agent in the config.',
      });
    }
    return followScript(await script.load(), session);
  },
};
