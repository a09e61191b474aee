"""Steps a lattice of 27-particle shape-matching regions in pyPBD, at the pace of its parent.

Called as `python3 -c SCRIPT SIDE DT`; the parent sets OMP_NUM_THREADS. Standard input starts with the
rest positions, then the start positions, one particle a line. Prints `ready VERSION`, then answers

    restart   with `done`, once every particle is back at its start without velocity,
    steps N   with the seconds that N steps took,
    state     with one line `x y z vx vy vz` per particle.
"""

import os
import sys
import time
from importlib.metadata import version


def read_positions(count):
    return [[float(number) for number in sys.stdin.readline().split()] for _ in range(count)]


def regions(side):
    """One region per particle: itself and its neighbours within one cell, cut off at the faces."""

    def near(c):
        return range(max(c - 1, 0), min(c + 2, side))

    return [
        [(i * side + j) * side + k for i in near(x) for j in near(y) for k in near(z)]
        for x in range(side)
        for y in range(side)
        for z in range(side)
    ]


def main():
    side, dt = int(sys.argv[1]), float(sys.argv[2])
    rest, start = read_positions(side**3), read_positions(side**3)
    # The library logs to standard output, which is the way to the parent: send its lines elsewhere.
    parent = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    import pypbd

    simulation = pypbd.Simulation.getCurrent()
    simulation.initDefault()
    model = simulation.getModel()
    # The model only has to hold the particles; a single tetrahedron keeps its set-up short.
    model.addTetModel(rest, [0, 1, side, side * side])
    clusters = regions(side)
    counts = [0] * len(rest)
    for cluster in clusters:
        for particle in cluster:
            counts[particle] += 1
    for cluster in clusters:
        weights = [counts[particle] for particle in cluster]
        model.addShapeMatchingConstraint(len(cluster), cluster, weights, 1.0)

    controller = simulation.getTimeStep()
    controller.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, 1)
    controller.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, 1)
    pypbd.TimeManager.getCurrent().setTimeStepSize(dt)
    particles = model.getParticles()

    print("ready", version("pyPBD"), file=parent)
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "restart":
            for index, position in enumerate(start):
                particles.setPosition(index, position)
                particles.setVelocity(index, (0.0, 0.0, 0.0))
            print("done", file=parent)
        elif command == "steps":
            begin = time.perf_counter()
            for _ in range(int(arguments[0])):
                controller.step(model)
            print(time.perf_counter() - begin, file=parent)
        elif command == "state":
            for index in range(len(rest)):
                print(*particles.getPosition(index), *particles.getVelocity(index), file=parent)


main()
