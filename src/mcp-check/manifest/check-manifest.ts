import { isHttpServer, type serverLabel } from '../../drive/mcp/server-definition.ts';
import type { ListedServer } from '../definitions/listed-server.ts';
import { type CheckProblem, problemOf, ruleTexts } from '../definitions/rule.ts';
import { type Manifest, type ManifestFile, manifestSchema } from './manifest.ts';

const why = 'The registry refuses the manifest, or clients install something else than the server that was checked.';

/** Rules about the manifest of a server in the MCP registry. */
export const manifestRules = ruleTexts({
  manifestInvalid: {
    severity: 'error',
    summary: 'The registry does not accept the manifest',
    why: 'The server cannot be published.',
    fix: 'Correct the field; the format is described at https://modelcontextprotocol.io/registry.',
  },
  manifestVersionDiffers: {
    severity: 'error',
    summary: 'The manifest names another version than the server or its package',
    why,
    fix: 'Raise all versions together: manifest, package, and `serverInfo.version`.',
  },
  manifestPackageDiffers: {
    severity: 'error',
    summary: 'The package does not belong to the manifest',
    why: 'The registry checks that a package names the server it belongs to, and refuses the manifest otherwise.',
    fix: 'Write the name of the manifest into the package: `mcpName` in package.json, `mcp-name: …` in a README for PyPI.',
  },
  manifestTransportDiffers: {
    severity: 'warning',
    summary: 'The manifest does not offer the server in the way it was reached',
    why: 'Clients that install it from the registry use another way than the one that was checked.',
    fix: 'Add a package with this transport or this address under `remotes`, or check the server as the manifest offers it.',
  },
  manifestNotInstallable: {
    severity: 'warning',
    summary: 'The manifest offers no way to use the server that works elsewhere',
    why: 'Clients list the server, and users cannot connect to it.',
    fix: 'Add a package, or an address under `remotes` that everyone can reach.',
  },
  manifestSecretUnmarked: {
    severity: 'warning',
    summary: 'A variable of the manifest reads like a secret and is not marked as one',
    why: 'Clients show it in the clear and keep it in plain files.',
    fix: 'Set `isSecret: true`.',
  },
});

/** How the server was reached. */
type Reached = Parameters<typeof serverLabel>[0];

/** Compares the manifest of a server with the server and with the package beside it. */
export function checkManifest(manifest: ManifestFile, listed: ListedServer, reached: Reached): CheckProblem[] {
  const parsed = manifestSchema().safeParse(manifest.data);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) =>
      problemOf(manifestRules.manifestInvalid, { message: `\`${path.join('.')}\`: ${message}`, place: path.join('.') }),
    );
  const { data } = parsed;
  return [
    ...versionProblems(data, manifest, listed),
    ...packageProblems(data, manifest),
    ...transportProblems(data, reached),
    ...secretProblems(data),
  ];
}

function versionProblems(data: Manifest, { packageJson }: ManifestFile, { facts }: ListedServer): CheckProblem[] {
  const npm = data.packages?.filter(({ registryType }) => registryType === 'npm') ?? [];
  const own = npm.some(({ identifier }) => identifier === packageJson?.name) ? packageJson?.version : undefined;
  const others: readonly (readonly [string, unknown])[] = [
    ['the server says', facts.version],
    ['package.json says', own],
    ...npm.map(({ identifier, version }) => [`the package ${identifier} has`, version] as const),
  ];
  return others.flatMap(([what, version]) => {
    if (typeof version !== 'string' || version === '' || version === data.version) return [];
    return [
      problemOf(manifestRules.manifestVersionDiffers, {
        message: `The manifest says ${data.version}, ${what} ${version}.`,
      }),
    ];
  });
}

function packageProblems(data: Manifest, { packageJson, readme }: ManifestFile): CheckProblem[] {
  return (data.packages ?? []).flatMap(({ registryType, identifier }) => {
    const wrong = (message: string) => [problemOf(manifestRules.manifestPackageDiffers, { message })];
    if (registryType === 'npm' && packageJson !== undefined && packageJson.name === identifier)
      return packageJson.mcpName === data.name
        ? []
        : wrong(
            `\`mcpName\` in package.json is ${JSON.stringify(packageJson.mcpName) ?? 'missing'}, not "${data.name}".`,
          );
    if (registryType === 'pypi' && readme !== undefined && !readme.includes(`mcp-name: ${data.name}`))
      return wrong(`README.md does not contain \`mcp-name: ${data.name}\`.`);
    return [];
  });
}

function transportProblems({ packages = [], remotes = [] }: Manifest, reached: Reached): CheckProblem[] {
  const local = remotes.filter(({ url }) => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname));
  const unreachable = local.map(({ url }) =>
    problemOf(manifestRules.manifestNotInstallable, { message: `${url} can be reached on one machine only.` }),
  );
  if (packages.length + remotes.length === 0)
    return [
      problemOf(manifestRules.manifestNotInstallable, { message: 'There are neither `packages` nor `remotes`.' }),
    ];
  const types = packages.map(({ transport }) => transport.type);
  if (reached.transport === 'stdio' && !types.includes('stdio')) {
    const message = 'The server was started over stdio, and no package has the transport `stdio`.';
    return [...unreachable, problemOf(manifestRules.manifestTransportDiffers, { message })];
  }
  if (!isHttpServer(reached)) return unreachable;
  const wanted = reached.transport === 'sse' ? 'sse' : 'streamable-http';
  const isOffered = types.includes(wanted) || remotes.some(({ type, url }) => type === wanted && url === reached.url);
  if (isOffered) return unreachable;
  const message = `The server was reached at ${reached.url} (${wanted}), which the manifest does not name.`;
  return [...unreachable, problemOf(manifestRules.manifestTransportDiffers, { message })];
}

function secretProblems({ packages = [], remotes = [] }: Manifest): CheckProblem[] {
  const variables = [
    ...packages.flatMap(({ environmentVariables = [] }) => environmentVariables),
    ...remotes.flatMap(({ headers = [] }) => headers),
  ];
  return variables.flatMap(({ name, isSecret }) => {
    if (isSecret === true || !/(?:key|token|secret|password|credentials?|^authorization$)$/i.test(name)) return [];
    return [problemOf(manifestRules.manifestSecretUnmarked, { message: `\`${name}\`` })];
  });
}
