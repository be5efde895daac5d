import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { defineConnector } from '../connector.ts';

const configSchema = () =>
  z.strictObject({
    module: z.string().min(1).describe('JavaScript or TypeScript file, relative to the scenario file'),
    export: z.string().min(1).default('default').describe('name of the exported function'),
  });
export type ModuleConnectorConfig = z.output<ReturnType<typeof configSchema>>;

/** A function of the user that is the agent, or that knows how to reach it. */
export const moduleConnector = defineConnector({
  type: 'module',
  label: 'Function of a module',
  summary: 'a function in JavaScript or TypeScript that is given the conversation and returns the answer',
  reports: ['latency'],
  configSchema,
  check(config, { directory }) {
    const isThere = existsSync(resolve(directory, config.module));
    return isThere ? [] : [{ path: ['module'], message: `there is no file ${config.module}` }];
  },
  async open(config, settings, context) {
    // Most runs have no such function, and then none of this need be loaded.
    const { openModule } = await import('./open-module.ts');
    return openModule(config, settings, context);
  },
});
