import { isRecord } from '../../shared/json.ts';
import { requestProblems } from '../session/request-findings.ts';
import { type Feature, FeatureTally } from './feature.ts';
import { featureRules } from './feature-rules.ts';

/** One resource is subscribed to, and unsubscribed from again. */
export const subscriptions: Feature = {
  name: 'subscriptions',
  isOffered: ({ facts }) => isRecord(facts.capabilities.resources) && facts.capabilities.resources.subscribe === true,
  async check({ server, listed }) {
    const tally = new FeatureTally();
    const uri = listed.resources.map(({ definition }) => definition.uri).find((one) => typeof one === 'string');
    if (server.facts.era === 'modern')
      tally.leaveOut('subscriptions of this protocol version are not tried by this check');
    else if (uri === undefined) tally.leaveOut('the server lists no resource');
    else
      for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
        if (server.lost !== undefined) break;
        const rules = { refused: featureRules.subscriptionFailed, malformed: featureRules.subscriptionFailed };
        tally.add(
          requestProblems(`${method} \`${uri}\``, await server.request(method, { uri }), rules, () => undefined),
        );
      }
    return tally.outcome();
  },
};
