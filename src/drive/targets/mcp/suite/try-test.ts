import type { SuiteTest } from '../../../../domain/suite-test.ts';
import { allPages } from './all-pages.ts';
import { tryElicitation, tryLoad, trySampling } from './client-attempts.ts';
import { tryArguments, tryHostileInputs, tryPrompt } from './prompt-attempts.ts';
import { trySubscription, tryTemplate } from './resource-attempts.ts';
import type { TestTalk } from './test-talk.ts';

/** Does once what a test asks for; gives what is not in the exchanges themselves. */
export async function tryTest(
  test: SuiteTest,
  talk: TestTalk,
  waiting: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<unknown> {
  switch (test.form) {
    case 'tool':
      return void (await talk.call(test.spec.name, test.spec.args));
    case 'resource-list':
      return void (await allPages(talk, 'resources/list'));
    case 'resource-read':
      return void (await talk.request('resources/read', { uri: test.spec.uri }));
    case 'resource-template':
      return tryTemplate(test.spec, talk);
    case 'resource-subscription':
      return trySubscription(test.spec, talk, waiting);
    case 'prompt-list':
      return void (await allPages(talk, 'prompts/list'));
    case 'prompt-get':
      return tryPrompt(test.subject, test.spec, talk);
    case 'prompt-arguments':
      return tryArguments(test.subject, test.spec, talk);
    case 'prompt-security':
      return tryHostileInputs(test.subject, test.spec, talk);
    case 'sampling-capability':
      return void (await talk.request('ping', {}));
    case 'sampling-request':
      return trySampling(test.spec, talk);
    case 'sampling-load':
      return tryLoad(test.spec, talk);
    case 'elicitation-request':
      return tryElicitation(test.spec, talk);
    case 'unsupported':
      return undefined;
  }
}
