import { AssayError } from '../../../domain/errors.ts';
import type { McpAnswer } from '../../../drive/mcp/session.ts';
import { isRecord } from '../../../shared/json.ts';
import type { AppDetail } from '../api/workbench.ts';

/** The type of UI resources. */
const appType = 'text/html;profile=mcp-app';
const longestHtml = 10_000_000;
const permissionNames = ['camera', 'microphone', 'geolocation', 'clipboardWrite'];

/** A UI resource of a server, ready to be shown in a frame. */
export interface AppPage extends Omit<AppDetail, 'id'> {
  readonly html: string;
}

/** Reads the answer to `resources/read` of a UI resource; `listed` is its entry in the list of resources. */
export function appPageOf(
  uri: string,
  answer: McpAnswer,
  listed: Readonly<Record<string, unknown>> | undefined,
): AppPage {
  if (!uri.startsWith('ui://')) throw unusable(uri, 'its address does not begin with ui://');
  if (answer.kind === 'error')
    throw unusable(uri, `the server answered with the error ${answer.code}: ${answer.message}`);
  const contents = Array.isArray(answer.result.contents) ? answer.result.contents.filter(isRecord) : [];
  const content = contents.find((part) => part.uri === uri) ?? contents[0];
  if (!content) throw unusable(uri, 'the server returned no content');
  if (normalType(content.mimeType) !== appType)
    throw unusable(uri, `its type is ${JSON.stringify(content.mimeType)}, not ${appType}`);
  const html = typeof content.text === 'string' ? content.text : fromBase64(content.blob);
  if (html === undefined) throw unusable(uri, 'its content has neither `text` nor `blob`');
  if (html.length > longestHtml) throw unusable(uri, `it has more than ${longestHtml} characters`);
  const meta = uiMetaOf(content) ?? (listed && uiMetaOf(listed)) ?? {};
  const { policy, domains, problems } = policyOf(isRecord(meta.csp) ? meta.csp : {});
  const permissions = Object.keys(isRecord(meta.permissions) ? meta.permissions : {});
  const unknown = permissions
    .filter((name) => !permissionNames.includes(name))
    .map((name) => `\`${name}\` is not a known permission.`);
  return { uri, html, policy, domains, permissions, problems: [...problems, ...unknown] };
}

function unusable(uri: string, why: string): AssayError {
  return new AssayError('USAGE', `"${uri}" cannot be shown: ${why}.`, { hint: 'Fix the resource in the server.' });
}

function normalType(type: unknown): string {
  return typeof type === 'string' ? type.replace(/\s+/g, '').toLowerCase() : '';
}

function fromBase64(blob: unknown): string | undefined {
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

function uiMetaOf({ _meta: meta }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  return isRecord(meta) && isRecord(meta.ui) ? meta.ui : undefined;
}

const domainKeys = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;
type Domains = Record<(typeof domainKeys)[number], string[]>;

/** An origin, in which one leading label may be a star. Anything else could widen the policy, or end it. */
const origin = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?\/?$/i;

interface Policy {
  readonly policy: string;
  readonly domains: Domains;
  readonly problems: readonly string[];
}

/** The Content-Security-Policy for the declared domains, which allows nothing that is not declared. */
function policyOf(csp: Readonly<Record<string, unknown>>): Policy {
  const problems: string[] = [];
  const domains: Domains = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
  for (const key of domainKeys) {
    const declared: readonly unknown[] = Array.isArray(csp[key]) ? csp[key] : [];
    for (const domain of declared) {
      if (typeof domain === 'string' && origin.test(domain)) domains[key].push(domain);
      else problems.push(`\`${key}\` has ${JSON.stringify(domain)}, which is not an origin; it is not allowed.`);
    }
  }
  const allowed = (list: readonly string[], ...others: readonly string[]): string =>
    [...others, ...list].join(' ') || "'none'";
  const { connectDomains, resourceDomains, frameDomains, baseUriDomains } = domains;
  const policy = [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${allowed(resourceDomains, "'unsafe-inline'")}`,
    `style-src ${allowed(resourceDomains, "'unsafe-inline'")}`,
    `img-src ${allowed(resourceDomains, 'data:')}`,
    `media-src ${allowed(resourceDomains, 'data:')}`,
    `font-src ${allowed(resourceDomains, 'data:')}`,
    `connect-src ${allowed(connectDomains)}`,
    `frame-src ${allowed(frameDomains)}`,
    `base-uri ${allowed(baseUriDomains)}`,
    "object-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return { policy, domains, problems };
}

/** Reports to the page around the frame what the policy blocks; the app itself need not know. */
const reporter = `<script>addEventListener('securitypolicyviolation',(e)=>parent.postMessage({jsonrpc:'2.0',method:'ui/notifications/sandbox-blocked',params:{directive:e.effectiveDirective,address:e.blockedURI}},'*'))</script>`;

/** The document of a UI resource; it has no origin, so it reaches nothing of this server. */
export function appResponse({ html, policy }: AppPage): Response {
  const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return new Response(`${doctype}${reporter}${html.slice(doctype.length)}`, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-write=()',
      'x-frame-options': 'SAMEORIGIN',
    },
  });
}

/** Why a UI resource may not send a request; undefined where it may. */
export function whyNotFromApp(
  { method, params }: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
  tools: readonly Readonly<Record<string, unknown>>[],
): string | undefined {
  if (method === 'resources/read') return undefined;
  if (method !== 'tools/call') return `An app may not send ${method}.`;
  const tool = tools.find(({ name }) => name === params.name);
  const visibility = tool && uiMetaOf(tool)?.visibility;
  if (!Array.isArray(visibility) || visibility.includes('app')) return undefined;
  return `The tool "${String(params.name)}" is not visible to apps.`;
}
