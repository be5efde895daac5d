import type { SuiteTest } from '../../../../../domain/suite-test.ts';
import { judgeCapability, judgeElicitation, judgeLoad, judgeSampling } from './judge-client.ts';
import { judgeList } from './judge-list.ts';
import { judgeProbes, judgePrompt } from './judge-prompt.ts';
import { judgeRead, judgeSubscription, judgeTemplate } from './judge-resource.ts';
import { judgeTool } from './judge-tool.ts';
import { fail, type Judged } from './judged.ts';
import type { OutputSchemas } from './output-schemas.ts';
import type { SeenTest } from './seen-tests.ts';

/** Judges one test by what was seen of it. */
export function judgeTest(
  seen: SeenTest,
  server: { readonly outputs: OutputSchemas; readonly toolNames: readonly string[] },
): Judged {
  const { test } = seen;
  const of = <Test extends SuiteTest>(one: Test): SeenTest<Test> => ({ ...seen, test: one });
  switch (test.form) {
    case 'tool':
      return judgeTool(of(test), server);
    case 'resource-list':
      return judgeList(seen, test.spec, {
        method: 'resources/list',
        items: 'resources',
        expected: test.spec.expectedResources,
      });
    case 'resource-read':
      return judgeRead(seen, test.spec);
    case 'resource-template':
      return judgeTemplate(of(test));
    case 'resource-subscription':
      return judgeSubscription(of(test));
    case 'prompt-list':
      return judgeList(seen, test.spec, {
        method: 'prompts/list',
        items: 'prompts',
        expected: test.spec.expectedPrompts,
      });
    case 'prompt-get':
      return judgePrompt(seen, test.spec);
    case 'prompt-arguments':
    case 'prompt-security':
      return judgeProbes(seen);
    case 'sampling-capability':
      return judgeCapability(of(test));
    case 'sampling-request':
      return judgeSampling(of(test));
    case 'sampling-load':
      return judgeLoad(of(test));
    case 'elicitation-request':
      return judgeElicitation(of(test));
    case 'unsupported':
      return fail('It is not supported yet');
  }
}
