import { isRecord } from '../../shared/json.ts';
import { problemOf } from '../definitions/rule.ts';
import { appDefects } from './app-policy.ts';
import { type Feature, FeatureTally } from './feature.ts';
import { featureRules } from './feature-rules.ts';
import { interfaceOf } from './resources.ts';

const rules = {
  malformed: featureRules.uiResourceMalformed,
  policy: featureRules.uiPolicyUnfit,
  permission: featureRules.uiPermissionUnfit,
};

/** The interfaces of tools: their type, and whether what they use is what they declare. */
export const apps: Feature = {
  name: 'apps',
  isOffered: ({ tools }) => tools.some(({ definition }) => interfaceOf(definition) !== undefined),
  async check({ server, listed }) {
    const tally = new FeatureTally();
    const uris = new Set(listed.tools.flatMap(({ definition }) => interfaceOf(definition) ?? []));
    await tally.tryEach([...uris], server, async (uri) => {
      const end = await server.request('resources/read', { uri });
      // An interface that cannot be read is found with the resources.
      if (end.kind !== 'answer' || end.answer.kind === 'error') return;
      const { contents } = end.answer.result;
      const [content] = Array.isArray(contents) ? contents : [];
      const tools = listed.tools.filter(({ definition }) => interfaceOf(definition) === uri).map(({ name }) => name);
      const defects = isRecord(content) ? appDefects(content) : [];
      tally.add(
        defects.map(({ kind, message }) => problemOf(rules[kind], { message: `\`${uri}\`: ${message}`, tools })),
      );
    });
    return tally.outcome();
  },
};
