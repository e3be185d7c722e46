/** Finds what belongs to a path. Two parts of a path are equal when they are after percent-decoding. */
export interface Router<Route> {
  find(path: string): { route: Route; parameter: string | undefined } | undefined;
}

/**
 * Paths are given as `/fixed/path` or `/fixed/:parameter`, where the parameter is the last segment and not empty.
 * Ten paths of these two forms need no routing library.
 */
export function createRouter<Route>(routes: Record<string, Route>): Router<Route> {
  const fixed = new Map<string, Route>();
  const withParameter = new Map<string, Route>();
  for (const [path, route] of Object.entries(routes)) {
    const parameterAt = path.indexOf(':');
    if (parameterAt === -1) fixed.set(path, route);
    else withParameter.set(path.slice(0, parameterAt), route);
  }

  return {
    find(path) {
      const decoded = path.includes('%') ? decode(path) : path;
      const exact = fixed.get(decoded);
      if (exact !== undefined) return { route: exact, parameter: undefined };
      const parameterAt = decoded.lastIndexOf('/') + 1;
      const route = withParameter.get(decoded.slice(0, parameterAt));
      if (route === undefined || parameterAt === decoded.length) return undefined;
      return { route, parameter: decoded.slice(parameterAt) };
    },
  };
}

/** The path in a request's address, which is a bare path when the request had no Host (HTTP/1.0). */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  const path = url.slice(start);
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
