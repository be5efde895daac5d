import { expect, it } from 'vitest';
import { providers } from '../../drive/models/providers/index.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { cliToolDefaults } from './format-defaults.ts';
import { openProject } from './project.ts';

const modelFor = async (env: Readonly<Record<string, string>>, config = ''): Promise<string | undefined> => {
  const folder = await temporaryFolder({ 'assay.config.yaml': config });
  return cliToolDefaults(await openProject(folder, env), {}, env).workflowModel;
};

it('workflows that name no model take one of a provider with a key', async () => {
  for (const { name, keyVariables } of providers.filter((each) =>
    ['openai', 'anthropic', 'google'].includes(each.name),
  ))
    for (const variable of keyVariables) expect(await modelFor({ [variable]: 'key' })).toMatch(`${name}/`);
  expect(await modelFor({ OPENAI_API_KEY: 'key', ANTHROPIC_API_KEY: 'key' })).toMatch('anthropic/');
  expect(await modelFor({})).toBeUndefined();
  expect(await modelFor({}, 'models: { providers: { google: { apiKey: key } } }')).toMatch('google/');
  expect(await modelFor({ OPENAI_API_KEY: 'key' }, 'models: { workflow: local/mine }')).toBe('local/mine');
});
