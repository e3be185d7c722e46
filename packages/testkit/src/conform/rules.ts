/** The contract's own figures. They are not imported from the service, because they check it. */

export const statuses = ['available', 'pending', 'sold'] as const;

export const limits = { smallest: 1, largest: 100, default: 20 } as const;

/** The day on which getPet is removed. */
export const removalDay = '2030-12-05';
