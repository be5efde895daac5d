interface LockedPackage {
  readonly version?: string;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

export function areInstalled(
  wanted: Readonly<Record<string, LockedPackage>>,
  found: Readonly<Record<string, LockedPackage>>,
): boolean;
