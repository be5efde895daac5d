/**
 * Whether `node_modules` holds the packages of a lockfile: `wanted` are the `packages` of `package-lock.json`, `found` those of
 * `node_modules/.package-lock.json`. Optional packages may be missing: they are for other machines.
 */
export function areInstalled(wanted, found) {
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true;
    const installed = found[path];
    return installed === undefined ? optional === true || devOptional === true : installed.version === version;
  });
}
