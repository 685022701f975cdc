// Points, lines and glow in WebGL 2: one vertex a point, two a line, so that a map of 100,000
// points also moves where a processor has to draw it.

const POINTS = `#version 300 es
uniform vec2 u_middle, u_scale; uniform float u_grown, u_least, u_most;
in vec2 a_position; in float a_radius; in vec4 a_colour;
out vec4 v_colour; out float v_size;
void main() {
  gl_Position = vec4((a_position - u_middle) * u_scale, 0.0, 1.0);
  v_size = clamp(a_radius * u_grown, u_least, u_most) * 2.0 + 1.0;
  gl_PointSize = v_size;
  v_colour = a_colour;
}`;
const DISC = `#version 300 es
precision mediump float;
uniform float u_glow;
in vec4 v_colour; in float v_size;
out vec4 colour;
void main() {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  float edge = clamp((1.0 - away) * v_size * 0.5, 0.0, 1.0);
  float haze = max(0.0, 1.0 - away);
  float alpha = v_colour.a * mix(edge, haze * haze, step(0.001, u_glow)) * mix(1.0, u_glow, step(0.001, u_glow));
  colour = vec4(v_colour.rgb * alpha, alpha);
}`;
const LINES = `#version 300 es
uniform vec2 u_middle, u_scale;
in vec2 a_position; in vec4 a_colour;
out vec4 v_colour;
void main() {
  gl_Position = vec4((a_position - u_middle) * u_scale, 0.0, 1.0);
  v_colour = a_colour;
}`;
const PLAIN = `#version 300 es
precision mediump float;
in vec4 v_colour;
out vec4 colour;
void main() { colour = vec4(v_colour.rgb * v_colour.a, v_colour.a); }`;

class Drawing {
  constructor(canvas, smooth) {
    this.canvas = canvas;
    this.gl = canvas.getContext('webgl2', { antialias: smooth, depth: false });
    if (!this.gl) return;
    this.points = this.program(POINTS, DISC);
    this.lines = this.program(LINES, PLAIN);
    this.buffers = {};
    this.gl.enable(this.gl.BLEND);
  }

  program(vertex, fragment) {
    const { gl } = this, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }

  // Keep an array on the graphics card: name, values, values a vertex.
  load(name, values, size) {
    const { gl } = this;
    const buffer = (this.buffers[name]?.buffer) ?? gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    this.buffers[name] = { buffer, size, type: values instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.FLOAT };
  }

  use(program, attributes, uniforms) {
    const { gl } = this;
    gl.useProgram(program);
    for (const [attribute, name] of Object.entries(attributes)) {
      const at = gl.getAttribLocation(program, attribute), { buffer, size, type } = this.buffers[name];
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, type, type === gl.UNSIGNED_BYTE, 0, 0);
    }
    for (const [name, value] of Object.entries(uniforms)) {
      const at = gl.getUniformLocation(program, name);
      if (Array.isArray(value)) gl.uniform2f(at, ...value);
      else gl.uniform1f(at, value);
    }
  }

  // Clear to nothing and say where one looks: the page's own ground shows through.
  begin({ target, zoom }, width, height, density) {
    const { gl, canvas } = this;
    const [w, h] = [Math.round(width * density), Math.round(height * density)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.place = { u_middle: [target[0], target[1]], u_scale: [2 ** (zoom + 1) / width, 2 ** (zoom + 1) / height] };
    this.density = density;
  }

  drawLines(n) {
    if (!n) return;
    this.use(this.lines, { a_position: 'ends', a_colour: 'shades' }, this.place);
    this.gl.drawArrays(this.gl.LINES, 0, 2 * n);
  }

  drawPoints(n, { grown, most, glow = 0 }) {
    const { gl, density } = this;
    this.use(this.points, { a_position: 'positions', a_radius: 'radii', a_colour: 'colours' }, {
      ...this.place, u_grown: grown * density, u_least: 0.6 * density, u_most: most * density, u_glow: glow,
    });
    if (glow) gl.blendFunc(gl.ONE, gl.ONE);
    gl.drawArrays(gl.POINTS, 0, n);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }
}
