import { isRecord } from '../../shared/json.ts';
import { problemOf } from '../definitions/rule.ts';
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

type Data = Readonly<Record<string, unknown>>;

/** A defect of the interface of a tool. */
interface AppDefect {
  readonly kind: 'malformed' | 'policy' | 'permission';
  readonly message: string;
}

const appMimeType = /^text\/html\s*;\s*profile=mcp-app$/i;
const policyLists = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

/** Permissions of the extension, and how the code of a page uses each. */
const permissionUses: Readonly<Record<string, RegExp>> = {
  camera: /getUserMedia\([^)]*video/,
  microphone: /getUserMedia\([^)]*audio/,
  geolocation: /navigator\.geolocation/,
  clipboardWrite: /clipboard\.write/,
};

/** Checks an interface against the policy and the permissions that it declares, without running it. */
export function appDefects(content: Data): AppDefect[] {
  const { mimeType, text } = content;
  if (typeof mimeType !== 'string' || !appMimeType.test(mimeType))
    return [{ kind: 'malformed', message: '`mimeType` is not `text/html;profile=mcp-app`.' }];
  const html = typeof text === 'string' ? text : '';
  const { ui } = isRecord(content._meta) ? content._meta : {};
  const { csp, permissions } = isRecord(ui) ? ui : {};
  return [...policyDefects(csp, html), ...permissionDefects(permissions, html)];
}

function policyDefects(csp: unknown, html: string): AppDefect[] {
  const declared = isRecord(csp) ? csp : {};
  const wrong = policyLists.flatMap((list): AppDefect[] => {
    const domains = declared[list];
    if (domains === undefined) return [];
    const bad = Array.isArray(domains) ? domains.find((domain) => !isOrigin(domain)) : domains;
    if (bad === undefined) return [];
    return [{ kind: 'policy', message: `\`csp.${list}\` has ${JSON.stringify(bad)}, which is not an origin.` }];
  });
  const loads = [
    ...used(
      html,
      /<(?:script|img|link|audio|video|source)\b[^>]*?\b(?:src|href)\s*=\s*["'](https?:[^"']+)/gi,
      'resourceDomains',
    ),
    ...used(html, /<iframe\b[^>]*?\bsrc\s*=\s*["'](https?:[^"']+)/gi, 'frameDomains'),
    ...used(html, /\b(?:fetch|WebSocket|EventSource)\s*\(\s*["'`]((?:https?|wss?):[^"'`$]+)/g, 'connectDomains'),
  ];
  const blocked = loads.filter(({ origin, list }) => !allows(declared[list], origin));
  const texts = new Set(blocked.map(({ origin, list }) => `It uses ${origin}, which \`csp.${list}\` does not allow.`));
  return [...wrong, ...[...texts].map((message): AppDefect => ({ kind: 'policy', message }))];
}

function permissionDefects(permissions: unknown, html: string): AppDefect[] {
  const declared = isRecord(permissions) ? Object.keys(permissions) : [];
  const unknown = declared.filter((name) => !Object.hasOwn(permissionUses, name));
  const missing = Object.entries(permissionUses).filter(([name, use]) => use.test(html) && !declared.includes(name));
  return [
    ...unknown.map((name) => `\`permissions.${name}\` is not a permission of the extension.`),
    ...missing.map(([name]) => `It uses ${name}, which \`permissions\` does not declare.`),
  ].map((message): AppDefect => ({ kind: 'permission', message }));
}

type PolicyList = (typeof policyLists)[number];

function used(
  html: string,
  pattern: RegExp,
  list: PolicyList,
): { readonly origin: string; readonly list: PolicyList }[] {
  return [...html.matchAll(pattern)].flatMap(([, address = '']) =>
    URL.canParse(address) ? [{ origin: new URL(address).origin, list }] : [],
  );
}

/** `https://*.example.com` stands for all hosts below; `*` alone would allow everything. */
function isOrigin(domain: unknown): boolean {
  return typeof domain === 'string' && /^(?:https?|wss?):\/\/(?:\*\.)?[A-Za-z0-9.[\]:-]+$/.test(domain);
}

function allows(domains: unknown, origin: string): boolean {
  const { protocol, host } = new URL(origin);
  return (Array.isArray(domains) ? domains : []).some((domain) => {
    if (typeof domain !== 'string') return false;
    const [scheme = '', rest = ''] = domain.split('//');
    if (scheme !== protocol) return false;
    return rest.startsWith('*.') ? host.endsWith(rest.slice(1)) : host === rest;
  });
}
