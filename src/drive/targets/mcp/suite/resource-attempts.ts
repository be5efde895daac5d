import type { ResourceSubscriptionTest, ResourceTemplateTest } from '../../../../domain/mcp/feature-suites.ts';
import { templateOf } from '../../../../domain/mcp/suite-tests.ts';
import { isRecord } from '../../../../shared/json.ts';
import { expandTemplate } from './expand-template.ts';
import { allPages, type TestSession } from './test-session.ts';

/** The outcome of a template. */
interface TemplateObserved {
  readonly uri?: string;
  /** Why the template could not be filled in. */
  readonly problem?: string;
}

/** Looks whether the server offers a template, fills it in, and reads what it then names. */
export async function tryTemplate(spec: ResourceTemplateTest, client: TestSession): Promise<TemplateObserved> {
  await allPages(client, 'resources/templates/list');
  const expansion = expandTemplate(templateOf(spec), spec.arguments ?? spec.parameters ?? {});
  if ('problem' in expansion) return expansion;
  await client.request('resources/read', { uri: expansion.uri });
  return expansion;
}

/** The outcome of a subscription. */
interface SubscriptionObserved {
  readonly updateCount: number;
  readonly waitedMs: number;
}

/** Subscribes, has the resource changed where a tool for it is named, waits for updates, and unsubscribes. */
export async function trySubscription(
  spec: ResourceSubscriptionTest,
  client: TestSession,
  waiting: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<SubscriptionObserved> {
  const { resourceUri: uri, trigger } = spec;
  let updateCount = 0;
  let onUpdate = (): void => undefined;
  using _updates = client.session.onNotification('notifications/resources/updated', (params) => {
    if (!isRecord(params) || params.uri !== uri) return;
    updateCount++;
    onUpdate();
  });
  const subscribed = await client.request('resources/subscribe', { uri });
  if (subscribed.error) return { updateCount, waitedMs: 0 };
  if (trigger) await client.call(trigger.tool, trigger.args);
  const began = performance.now();
  if (spec.expectUpdates !== undefined && updateCount === 0) {
    await waitForUpdate(
      (listener) => {
        onUpdate = listener;
      },
      { timeoutMs: spec.timeout ?? waiting.timeoutMs, signal: waiting.signal },
    );
  }
  const waitedMs = performance.now() - began;
  await client.request('resources/unsubscribe', { uri });
  return { updateCount, waitedMs };
}

function waitForUpdate(
  listen: (listener: () => void) => void,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    listen(end);
  });
}
