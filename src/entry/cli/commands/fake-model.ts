import { once } from 'node:events';
import { type LoggedRequest, type Script, startScriptedModel } from '../../../drive/models/scripted/index.ts';
import { loadModelScript } from '../../../load/scripts.ts';
import { printable } from '../../../shared/text.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { integerOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';

/** `assay fake-model`: a model server whose replies follow a script. */
export const fakeModel: CliCommand = {
  configure(command) {
    command
      .argument('<script>', 'YAML or JSON file with the rules')
      .option('--port <n>', 'port on the loopback address (default: a free one)', integerOption(0, 65_535))
      .option('--verbose', 'log every request to stderr')
      .addHelpText('after', '\nPrints its URL when it is ready. Ctrl-C stops it with exit code 0.\n');
  },
  async run({ args: [file = ''], options, context }) {
    const script = await loadModelScript(file, context.cwd);
    using interrupt = new Interrupt(() => undefined);
    await using model = await startScriptedModel(script, {
      port: options.port as number | undefined,
      onRequest: (request) => {
        if (options.verbose || request.refusal !== null) context.stderr.write(`${printable(requestText(request))}\n`);
      },
    });
    await write(context.stderr, settingsText(model.environment, script));
    await write(context.stdout, `${model.url}\n`);
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    return 0;
  },
};

function settingsText(environment: Readonly<Record<string, string>>, { apiKey }: Script): string {
  const key = apiKey === undefined ? 'any API key works' : 'use the API key of the script';
  const lines = Object.entries(environment).map(([name, value]) => `  ${name}=${value}\n`);
  return `Point your client at this server (${key}):\n${lines.join('')}`;
}

function requestText({ number, path, conversation, rule, refusal }: LoggedRequest): string {
  if (refusal !== null) return `${number} ${path}: ${refusal}`;
  return `${number} ${path}, model ${conversation?.model}, turn ${conversation?.turn}: rule ${rule}`;
}
