import { openProject } from '../../../compose/config/project.ts';
import {
  describeKnownModels,
  describeModel,
  describeProviders,
  type ModelDescription,
  type ProviderDescription,
} from '../../../drive/models/describe-models.ts';
import { priceTableVersion } from '../../../drive/models/prices.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';

/** `assay list models`: the providers, whether they are configured, and model prices. */
export const models: CliCommand = {
  configure(command) {
    command.argument('[name]', 'show details of this model').option('--json', 'print one JSON document');
  },
  async run({ args, options, context }) {
    const project = await openProject(context.cwd, context.env);
    const config = project.config.models;
    const print = async (data: unknown, text: string): Promise<number> => {
      await write(context.stdout, options.json ? `${JSON.stringify(data, null, 2)}\n` : text);
      return 0;
    };
    if (args[0] !== undefined) {
      const model = await describeModel(args[0], config, context.env);
      return print(model, modelText(model));
    }
    const providers = describeProviders(config, context.env);
    const models = await describeKnownModels(config, context.env);
    return print({ providers, models, priceTable: priceTableVersion }, listText(providers, models));
  },
};

function listText(providers: readonly ProviderDescription[], known: readonly ModelDescription[]): string {
  const width = Math.max(...providers.map(({ name }) => name.length)) + 2;
  const providerLines = providers.map(({ name, baseUrl, hasKey, missing }) => {
    const state = missing ?? `${baseUrl}${hasKey ? ', with a key' : ''}`;
    return `  ${missing ? '✗' : '✓'} ${name.padEnd(width)}${state}\n`;
  });
  const nameWidth = Math.max(...known.map(({ name }) => name.length)) + 2;
  const modelLines = known.map(({ name, price }) => `  ${name.padEnd(nameWidth)}${priceText(price)}\n`);
  return [
    'Providers\n',
    ...providerLines,
    '\nSome models, with USD for a million tokens in and out\n',
    ...modelLines,
    `\nPrices: ${priceTableVersion}, and \`models.prices\` of the config.\nOne model: assay list models <provider/model>\n`,
  ].join('');
}

function modelText(model: ModelDescription): string {
  const { name, provider, price } = model;
  const rate = model.requestsPerMinute === null ? '' : `, ${model.requestsPerMinute} a minute`;
  const facts = [
    ['model', `${model.model} at ${provider.name}: ${provider.summary}`],
    ['base URL', provider.baseUrl ?? 'none'],
    ['key', provider.hasKey ? 'set' : 'not set'],
    ['usable', provider.missing ? `no. ${provider.missing}` : 'yes'],
    ['price', price ? `${priceText(price)} USD for a million tokens in and out (${price.source})` : priceText(price)],
    ['limits', `${model.concurrency} requests at a time${rate}; ${model.timeoutSecs} s for a call`],
  ];
  return `${name}\n${facts.map(([what = '', fact]) => `  ${what.padEnd(10)}${fact}\n`).join('')}`;
}

function priceText(price: ModelDescription['price']): string {
  return price ? `${price.inputPer1M.toFixed(2)} / ${price.outputPer1M.toFixed(2)}` : 'no price known';
}
